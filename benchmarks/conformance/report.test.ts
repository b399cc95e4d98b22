import { describe, expect, it } from 'vitest';
import { type GinkgoReport, outcomesIn, passedReader, testsIn, trouble } from './report.ts';

const spec = (text: string, State: string, more: object = {}) => ({
  LeafNodeType: 'It',
  ContainerHierarchyTexts: ['[sig-node] Pods'],
  LeafNodeText: text,
  State,
  RunTime: 12_340_000_000,
  ...more,
});
const reports = (...SpecReports: ReturnType<typeof spec>[]): GinkgoReport[] => [{ SpecReports }];

describe("ginkgo's report", () => {
  it('of a dry run lists the tests, and which of them want to be alone', () => {
    const listed = testsIn(
      reports(spec('start', 'passed'), spec('other', 'skipped'), spec('evict [Serial]', 'passed')),
    );
    expect(listed).toEqual([
      { name: '[sig-node] Pods evict [Serial]', isSerial: true },
      { name: '[sig-node] Pods start', isSerial: false },
    ]);
  });

  it('says how each test came out, with the first line of the reason', () => {
    const Failure = { Message: '\n  timed out waiting for the pod\nmore' };
    expect(outcomesIn(reports(spec('start', 'passed'), spec('stop', 'failed', { Failure })))).toEqual([
      { name: '[sig-node] Pods start', state: 'passed', seconds: 12.3 },
      { name: '[sig-node] Pods stop', state: 'failed', seconds: 12.3, reason: 'timed out waiting for the pod' },
    ]);
  });

  it('takes a panic for a failure, and a test that skips itself too', () => {
    const ForwardedPanic = 'nil pointer';
    const Failure = { Message: 'needs two zones' };
    const outcomes = outcomesIn(
      reports(spec('a', 'panicked', { Failure: { ForwardedPanic } }), spec('b', 'skipped', { Failure })),
    );
    expect(outcomes.map(({ state, reason }) => [state, reason])).toEqual([
      ['failed', 'panicked: nil pointer'],
      ['failed', 'skipped: needs two zones'],
    ]);
  });

  it('leaves out what was not run to its end', () => {
    const notRun = ['pending', 'interrupted', 'aborted'].map((state) => spec(state, state));
    expect(outcomesIn(reports(...notRun, spec('other', 'skipped', { RunTime: 0 })))).toEqual([]);
    expect(outcomesIn([{ SpecReports: null }])).toEqual([]);
  });

  it('has the reason why nothing was run', () => {
    const Failure = { Message: 'no nodes' };
    const preparation = spec('', 'failed', { LeafNodeType: 'SynchronizedBeforeSuite', Failure });
    expect(trouble(reports(preparation))).toBe('SynchronizedBeforeSuite: no nodes');
    expect(trouble(reports(spec('start', 'failed')))).toBeUndefined();
  });
});

describe("ginkgo's output", () => {
  it('says of a test that it passed before the report does', () => {
    const read = passedReader([
      { name: '[sig-node] Pods start [Conformance]', isSerial: false },
      { name: '[sig-node] Pods start [Conformance] twice', isSerial: false },
    ]);
    const lines = [
      '------------------------------',
      '• [2.939 seconds]',
      '[sig-node] Pods start [Conformance] twice',
      '• [FAILED] [3.000 seconds]',
      '[sig-node] Pods start [Conformance] [sig-node, Conformance]',
      '• [0.040 seconds]',
      '[sig-node] Pods start [Conformance] [sig-node, Conformance]',
    ];
    expect(lines.flatMap((line) => read(line) ?? [])).toEqual([
      { name: '[sig-node] Pods start [Conformance] twice', state: 'passed', seconds: 2.9 },
      { name: '[sig-node] Pods start [Conformance]', state: 'passed', seconds: 0 },
    ]);
  });

  it('says the same of tests that run alone, whose names come first', () => {
    const read = passedReader([
      { name: '[sig-apps] Daemons start [Serial]', isSerial: true },
      { name: '[sig-apps] Daemons stop [Serial]', isSerial: true },
    ]);
    const rule = '-'.repeat(30);
    const lines = [
      ...[rule, '[sig-apps] Daemons stop [Serial] [sig-apps, Serial]', '  STEP: one', '• [FAILED] [3.000 seconds]'],
      ...['[sig-apps] Daemons [It] stop [Serial]', rule, '• [0.100 seconds]'],
      ...[rule, '[sig-apps] Daemons start [Serial] [sig-apps, Serial]', '  STEP: one', '• [6.190 seconds]', rule],
    ];
    expect(lines.flatMap((line) => read(line) ?? [])).toEqual([
      { name: '[sig-apps] Daemons start [Serial]', state: 'passed', seconds: 6.2 },
    ]);
  });
});
