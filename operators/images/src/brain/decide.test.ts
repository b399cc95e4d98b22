import { describe, expect, it } from 'vitest';
import { type Decision, decide, type Situation, type Verdict } from './decide.ts';
import { type Memory, MOST_QUARANTINED, nothing } from './memory.ts';

const T = 1_700_000_000_000;
const quiet: Situation = {
  now: T,
  policy: { semver: { range: '*' } },
  gates: { maturity: 0, timeZone: 'UTC', windows: [], freezes: [], approval: 'Automatic' },
  judgement: { for: 30_000, deadline: 300_000 },
  suspend: false,
  dryRun: false,
  image: 'web:1.0.0',
  sight: { is: 'known', newer: [] },
  leftovers: false,
  annotations: {},
  memory: nothing,
};
const offered = (tag: string, digest: string): Situation['sight'] => ({ is: 'known', newer: [{ tag, digest }] });
const well: Verdict = { is: 'well', why: 'all pods are ready' };
const ill: Verdict = { is: 'ill', why: 'web-1 crashes again and again' };

/** Passes, one after the other, each with what the one before remembered and wrote. */
function passes(
  start: Situation,
  ...changes: Partial<Situation>[]
): { decisions: Decision[]; last: Decision; image: string } {
  let situation = start;
  const decisions: Decision[] = [];
  for (const change of changes) {
    situation = { ...situation, ...change };
    const decision = decide(situation);
    decisions.push(decision);
    const image = decision.write ? decision.write.to : situation.image;
    situation = { ...situation, memory: decision.memory, image };
  }
  const last = decisions.at(-1) ?? expect.unreachable();
  return { decisions, last, image: situation.image ?? '' };
}
const found = { ...quiet, sight: offered('1.1.0', 'sha256:b') };

describe('an update', () => {
  it('is written down, written, judged, and accepted after it did well for as long as was said', () => {
    const { decisions, last, image } = passes(
      found,
      {},
      {},
      {},
      { verdict: { is: 'unsettled', why: '1 of 2' } },
      { verdict: well, now: T + 10_000 },
      { now: T + 39_000 },
      { now: T + 40_000 },
    );
    expect(decisions.map(({ phase }) => phase)).toEqual([
      'Writing',
      'Writing',
      'Judging',
      'Judging',
      'Judging',
      'Judging',
      'UpToDate',
    ]);
    expect(decisions.map(({ write }) => write?.to)).toEqual([
      undefined,
      'web:1.1.0@sha256:b',
      ...Array(5).fill(undefined),
    ]);
    expect(image).toBe('web:1.1.0@sha256:b');
    expect(last.memory).toMatchObject({
      known: image,
      history: [{ outcome: 'Accepted', tag: '1.1.0' }],
      quarantine: [],
    });
    expect(last.memory.update).toBeUndefined();
    expect(decisions.flatMap(({ tell }) => tell.map(({ reason }) => reason))).toEqual(['UpdateStarted', 'Updated']);
  });

  it('has to do well without a break', () => {
    const { last } = passes(
      found,
      {},
      {},
      {},
      { verdict: well },
      { verdict: { is: 'unsettled', why: 'a pod is not ready' }, now: T + 20_000 },
      { verdict: well, now: T + 21_000 },
      { now: T + 50_000 },
    );
    expect(last.phase).toBe('Judging');
  });

  it('goes back to the digest that ran when it is bad, and never comes again', () => {
    const { decisions, last, image } = passes(
      { ...found, runningDigest: 'sha256:a' },
      {},
      {},
      {},
      { verdict: ill },
      {},
      {},
      {},
    );
    expect(decisions[3]).toMatchObject({ phase: 'RollingBack', memory: { quarantine: [{ digest: 'sha256:b' }] } });
    expect(decisions[4]?.write).toEqual({ from: 'web:1.1.0@sha256:b', to: 'web:1.0.0@sha256:a' });
    expect(image).toBe('web:1.0.0@sha256:a');
    expect(last).toMatchObject({ phase: 'UpToDate', memory: { history: [{ outcome: 'RolledBack', why: ill.why }] } });
    expect(last.why).toContain('delivery.kurator.sh/lift=sha256:b');
  });

  it('is bad too if it is not well in time', () => {
    const verdict: Verdict = { is: 'unsettled', why: '0 of 2 are ready' };
    const { last } = passes(found, {}, {}, {}, { verdict, now: T + 299_000 }, { now: T + 300_000 });
    expect(last).toMatchObject({ phase: 'RollingBack', why: expect.stringContaining('0 of 2 are ready') });
  });

  it('is tried again once its quarantine is lifted, and an annotation lifts once', () => {
    const bad: Memory = {
      ...nothing,
      known: 'web:1.0.0',
      quarantine: [{ digest: 'sha256:b', tag: '1.1.0', at: T, why: 'bad' }],
    };
    const lift = { lift: 'sha256:b' };
    const { decisions } = passes({ ...found, memory: bad }, {}, { annotations: lift });
    expect(decisions.map(({ phase }) => phase)).toEqual(['UpToDate', 'Writing']);
    const again = { ...bad, lifted: 'sha256:b' };
    expect(decide({ ...found, memory: again, annotations: lift }).phase).toBe('UpToDate');
    const { last } = passes({ ...found, memory: again }, {}, { annotations: lift });
    expect(last.phase).toBe('Writing');
  });

  it('takes the newest that is not quarantined', () => {
    const memory = { ...nothing, quarantine: [{ digest: 'sha256:c', tag: '1.2.0', at: T, why: 'bad' }] };
    const sight = {
      is: 'known' as const,
      newer: [
        { tag: '1.2.0', digest: 'sha256:c' },
        { tag: '1.1.0', digest: 'sha256:b' },
      ],
    };
    expect(decide({ ...quiet, memory, sight }).memory.update).toMatchObject({ tag: '1.1.0' });
  });
});

describe('nothing is done', () => {
  it.each([
    ['it is suspended', { suspend: true }, 'Suspended'],
    ['it only tells', { dryRun: true }, 'DryRun'],
    ['the registry is not known', { sight: { is: 'unknown', why: 'it is down' } }, 'Unknown'],
    ['the workload is not there', { image: undefined, obstacle: 'there is no Deployment web' }, 'Unknown'],
    ['the workload is paused', { obstacle: 'it is paused' }, 'Waiting'],
    ['it is too young', { gates: { ...quiet.gates, maturity: 1 } }, 'Waiting'],
    ['it is not approved', { gates: { ...quiet.gates, approval: 'Manual' } }, 'Waiting'],
    ['it is what runs', { runningDigest: 'sha256:b' }, 'UpToDate'],
  ] as [string, Partial<Situation>, string][])('while %s', (_, change, phase) => {
    const { last, decisions } = passes(found, change, {}, {});
    expect(last.phase).toBe(phase);
    expect(decisions.filter(({ write, memory }) => write ?? memory.update)).toEqual([]);
    expect(last.memory).toEqual(decisions[1]?.memory);
  });

  it('once too many are quarantined to remember more', () => {
    const quarantine = Array.from({ length: MOST_QUARANTINED }, (_, i) => ({
      digest: `${i}`,
      tag: '',
      at: T,
      why: '',
    }));
    expect(decide({ ...found, memory: { ...nothing, quarantine } })).toMatchObject({ phase: 'Waiting' });
  });

  it('after somebody has changed the image, until he says to go on', () => {
    const { decisions } = passes(
      found,
      { sight: offered('1.0.0', 'sha256:a'), runningDigest: 'sha256:a' },
      { image: 'web:0.9.0', runningDigest: 'sha256:0', sight: offered('1.1.0', 'sha256:b') },
      {},
      { annotations: { resume: 'now' } },
    );
    expect(decisions.map(({ phase }) => phase)).toEqual(['UpToDate', 'Held', 'Held', 'Writing']);
  });

  it('again to what somebody went back from', () => {
    const { decisions, last } = passes(
      found,
      {},
      {},
      {},
      { verdict: well },
      { now: T + 30_000 },
      { image: 'web:1.0.0' },
      { annotations: { resume: 'now' } },
    );
    expect(decisions.at(-2)).toMatchObject({ phase: 'Held', memory: { quarantine: [{ digest: 'sha256:b' }] } });
    expect(last).toMatchObject({ phase: 'UpToDate', why: expect.stringContaining('quarantined') });
  });
});

it('waits with the newest until the oldest is ripe, and takes the ripe one', () => {
  const gates = { ...quiet.gates, maturity: 60_000 };
  const one = { tag: '1.1.0', digest: 'sha256:b' };
  const two = { tag: '1.2.0', digest: 'sha256:c' };
  const { decisions } = passes(
    { ...quiet, gates },
    { sight: { is: 'known', newer: [one] } },
    { sight: { is: 'known', newer: [two, one] }, now: T + 30_000 },
    { now: T + 60_000 },
  );
  expect(decisions.map(({ candidate, until }) => [candidate?.tag, until])).toEqual([
    ['1.1.0', T + 60_000],
    ['1.2.0', T + 60_000],
    ['1.1.0', T + 60_000],
  ]);
  expect(decisions.at(-1)?.memory.update).toMatchObject({ tag: '1.1.0' });
});
