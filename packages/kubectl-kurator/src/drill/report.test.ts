import { screenOf } from '@kurator/command';
import { describe, expect, it } from 'vitest';
import { podOf } from '../../test/support/drill-subject.ts';
import { hang } from '../../test/support/healer-objects.ts';
import { courseWith, wasUnfounded } from './follow.ts';
import { type Drill, disturbedOf, type Findings, reportOf } from './report.ts';
import { reportPage } from './report-page.ts';

const at = 1_000_000;
const drill: Drill = {
  id: 'a1b2c3',
  fault: 'hang',
  service: 'shop/web',
  did: 'holds all processes of web-6f7-x2x, by a tracer in an ephemeral container',
  pods: ['web-6f7-x2x'],
  startedAt: '2026-03-01T12:00:00Z',
  deadlineSeconds: 120,
};
const findings: Findings = {
  drill,
  at,
  course: { incident: hang, detectedAt: at + 4210, recoveredAt: at + 9999 },
  isTimeOver: false,
  requests: { sent: 120, lost: 7, ratePerSecond: 10, lastLostAt: at + 3100 },
  disturbed: [],
};
const page = (changes: Partial<Findings> = {}) => reportPage(reportOf({ ...findings, ...changes }), screenOf({}));

it('says when it was noticed and well again, what was lost, what was done and why', () => {
  expect(reportOf(findings)).toMatchObject({
    outcome: 'recovered',
    detectedAfter: 4.2,
    recoveredAfter: 10,
    lastLostAfter: 3.1,
    incident: { name: 'web-3', cause: 'hang', actions: [{ step: 'replace', outcome: 'done' }] },
  });
  const text = page();
  for (const part of [
    'Drill a1b2c3 of shop/web: hang',
    'it recovered by itself',
    'detected after          4.2 s',
    'recovered after         10 s',
    '7 of 120, at 10 a second, the last one after 3.1 s',
    'kurator explain web-3',
    'web-6f7-x2x: 3 response-timeouts in a row',
  ])
    expect(text).toContain(part);
});

describe('the outcome', () => {
  it.each([
    ['nobody noticed', { course: {}, isTimeOver: true }, 'notNoticed'],
    ['it was noticed, and not repaired', { course: { detectedAt: at + 1 }, isTimeOver: true }, 'notRecovered'],
    [
      'it was well only when the fault was taken away',
      { course: { detectedAt: at + 1, recoveredAt: at + 121_000 }, isTimeOver: true },
      'notRecovered',
    ],
    ['a load that nobody minded', { drill: { ...drill, fault: 'load' }, course: {}, isTimeOver: true }, 'undisturbed'],
    ['a load, and restarts', { drill: { ...drill, fault: 'load' }, course: {}, disturbed: ['web-1'] }, 'disturbed'],
  ] as const)('%s', (_, changes, outcome) => {
    expect(reportOf({ ...findings, ...changes }).outcome).toBe(outcome);
  });
});

it('says why it was not repaired, and why nothing was counted', () => {
  const text = page({
    course: { detectedAt: at + 1000 },
    isTimeOver: true,
    decision: 'hold: the budget is spent',
    requests: { unmeasured: 'no Service leads to it' },
  });
  expect(text).toContain('hold: the budget is spent');
  expect(text).toContain('not measured: no Service leads to it');
});

it('does not call a load a fault that nobody found', () => {
  const text = page({ drill: { ...drill, fault: 'load' }, course: {}, isTimeOver: true });
  expect(text).toContain('nothing, as it should be');
  expect(text).not.toContain('recovered after');
});

it('counts whom nothing was done to, and who was restarted or taken away all the same', () => {
  const [ill, well, gone, restarted] = [podOf('ill'), podOf('well'), podOf('gone'), podOf('restarted')];
  const after = [podOf('new'), podOf('well'), podOf('restarted', { restarts: 1 })];
  expect(disturbedOf([ill, well, gone, restarted], [ill], after)).toEqual(['gone', 'restarted']);
});

describe('the course of an incident', () => {
  const seen = (status: object) => ({ ...hang, status }) as typeof hang;

  it.each([
    [{ stage: 'dismissed' }, true],
    [{ stage: 'closed', closedAt: 'y' }, true],
    [{ stage: 'closed', closedAt: 'y', confirmedAt: 'x' }, false],
    [{ stage: 'suspected' }, false],
    [{}, false],
  ])('was a mere suspicion, and is not the end of it: %j', (status, wasOne) => {
    expect(wasUnfounded(seen(status))).toBe(wasOne);
  });

  it('is what was first seen of each', () => {
    const suspected = courseWith({}, seen({ stage: 'suspected' }), 1);
    expect(suspected).toEqual({ incident: expect.anything() });
    const confirmed = courseWith(suspected, seen({ stage: 'confirmed', confirmedAt: 'x' }), 2);
    const repairing = courseWith(confirmed, seen({ stage: 'repairing', confirmedAt: 'x' }), 3);
    expect(repairing).toMatchObject({ detectedAt: 2 });
    const recovered = courseWith(repairing, seen({ stage: 'recovered', confirmedAt: 'x' }), 4);
    expect(courseWith(recovered, seen({ stage: 'recovered', confirmedAt: 'x', closedAt: 'y' }), 5)).toMatchObject({
      detectedAt: 2,
      recoveredAt: 4,
    });
  });
});
