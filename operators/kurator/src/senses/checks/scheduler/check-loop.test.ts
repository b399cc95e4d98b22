/** The loop on virtual time, with probes that end when the test says so. */
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/checks/manual-clock.ts';
import type { Check } from '../check.ts';
import type { Measurement } from '../check-result.ts';
import { type Finding, findingOf } from '../probes/probe-run.ts';
import { CheckLoop, type CheckLoopOptions } from './check-loop.ts';

const healthy: Finding = { outcome: 'healthy', message: '' };
const checkOf = (i: number, settings: Partial<Check> = {}, host = `10.0.0.${i}`): Check => ({
  target: `web-${i}`,
  check: 'tcp',
  timeoutMs: 1000,
  intervalMs: 5000,
  probe: { kind: 'tcp', host, port: 80 },
  ...settings,
});

interface Run {
  readonly host: string;
  readonly at: number;
  state: 'running' | 'ended' | 'expired' | 'abandoned';
  end(finding?: Finding): void;
}

/** A loop whose runs take as long as `takes` says, or until the test ends them. */
function stage(options: Partial<CheckLoopOptions> & { takes?: number } = {}) {
  const clock = new ManualClock();
  const runs: Run[] = [];
  const results: { id: number; at: number; result: Measurement }[] = [];
  const loop = new CheckLoop({
    limits: { total: 1000, perHost: 1000 },
    jitter: 0,
    clock,
    random: () => 0.5,
    onResult(id, result) {
      results.push({ id, at: clock.now(), result });
      return undefined;
    },
    prepare: (probe) => (report) => {
      const run: Run = {
        host: probe.kind === 'exec' ? probe.pod : probe.host,
        at: clock.now(),
        state: 'running',
        end(finding = healthy) {
          if (run.state !== 'running') return;
          run.state = 'ended';
          report(finding);
        },
      };
      runs.push(run);
      if (options.takes !== undefined) clock.setTimeout(() => run.end(), options.takes);
      return {
        expire() {
          run.state = 'expired';
          report(findingOf('response-timeout', ''));
        },
        abandon() {
          run.state = 'abandoned';
        },
      };
    },
    ...options,
  });
  return { clock, runs, results, loop };
}

describe('when checks are run', () => {
  it('runs each once a period, spread over it', () => {
    const { clock, runs, loop } = stage({ takes: 2 });
    for (let i = 0; i < 1000; i++) loop.set(i, checkOf(i));
    clock.advance(20_000);
    expect(runs.length).toBeGreaterThanOrEqual(3990);
    expect(runs.length).toBeLessThanOrEqual(4010);
    const inEachSecond = new Array<number>(20).fill(0);
    for (const { at } of runs) inEachSecond[Math.floor(at / 1000)] = (inEachSecond[Math.floor(at / 1000)] ?? 0) + 1;
    for (const count of inEachSecond.slice(0, 19)) expect(count).toBeGreaterThan(140);
  });

  it('starts none early, and none more than a few milliseconds late', () => {
    const { clock, loop } = stage({ takes: 2 });
    for (let i = 0; i < 1000; i++) loop.set(i, checkOf(i));
    clock.advance(20_000);
    const { lateness, missed } = loop.statistics();
    // The buckets up to 7 ms.
    const onTime = lateness.slice(0, 16).reduce((sum, count) => sum + count, 0);
    expect(onTime).toBe(lateness.reduce((sum, count) => sum + count, 0));
    expect(missed).toBe(0);
  });

  it('shortens intervals by the jitter, and never makes them longer', () => {
    const { clock, runs, loop } = stage({ takes: 0, jitter: 0.1, random: () => 1 });
    loop.set(0, checkOf(0));
    clock.advance(50_000);
    const gaps = runs.slice(1).map(({ at }, i) => at - (runs[i]?.at ?? 0));
    for (const gap of gaps) expect(gap).toBeLessThanOrEqual(4510);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(4490);
  });

  it('needs one timer for all of them', () => {
    const { clock, loop } = stage();
    for (let i = 0; i < 1000; i++) loop.set(i, checkOf(i));
    expect(clock.timers).toBe(1);
  });

  it('takes the next interval from who got the result', () => {
    const { clock, runs, loop } = stage({ takes: 1, onResult: () => 1000 });
    loop.set(0, checkOf(0));
    clock.advance(5000);
    const first = runs[0]?.at ?? 0;
    clock.advance(3000);
    expect(runs.map(({ at }) => Math.round((at - first) / 1000)).slice(0, 4)).toEqual([0, 1, 2, 3]);
  });

  it('changes an interval at once, counted from the last time', () => {
    const { clock, runs, loop } = stage({ takes: 1 });
    loop.set(0, checkOf(0, { intervalMs: 60_000 }));
    clock.advance(60_000);
    expect(runs.length).toBe(1);
    loop.setInterval(0, 1000);
    clock.advance(3100);
    expect(runs.length).toBeGreaterThanOrEqual(4);
  });
});

describe('a run that is asked for', () => {
  it('starts at once, and leaves the regular ones where they were', () => {
    const { clock, runs, loop } = stage({ takes: 1 });
    loop.set(0, checkOf(0));
    clock.advance(5000);
    const regular = runs[0]?.at ?? 0;
    clock.advance(500);
    loop.checkNow(0);
    expect(runs.at(-1)?.at).toBe(5500);
    clock.advance(5000);
    expect(runs.some(({ at }) => Math.abs(at - regular - 5000) <= 5)).toBe(true);
  });

  it('follows the one that is under way, which may have begun too early to see what happened', () => {
    const { clock, runs, loop } = stage();
    loop.set(0, checkOf(0));
    loop.checkNow(0);
    loop.checkNow(0);
    loop.checkNow(0);
    expect(runs.length).toBe(1);
    clock.advance(100);
    runs[0]?.end();
    expect(runs.length).toBe(2);
    runs[1]?.end();
    expect(runs.length).toBe(2);
  });
});

describe('a check that takes long', () => {
  it('is never started twice, and periods that pass meanwhile are counted as missed', () => {
    const { clock, runs, results, loop } = stage();
    loop.set(0, checkOf(0, { timeoutMs: 60_000 }));
    loop.checkNow(0);
    runs[0]?.end();
    clock.advance(5000);
    expect(runs.length).toBe(2);
    clock.advance(17_000);
    expect(runs.length).toBe(2);
    runs[1]?.end();
    expect(results.length).toBe(2);
    expect(loop.statistics().missed).toBeGreaterThanOrEqual(2);
    clock.advance(5000);
    expect(runs.length).toBe(3);
  });

  it('ends at its deadline', () => {
    const { clock, runs, results, loop } = stage();
    loop.set(0, checkOf(0));
    loop.checkNow(0);
    clock.advance(998);
    expect(runs[0]?.state).toBe('running');
    clock.advance(10);
    expect(runs[0]?.state).toBe('expired');
    expect(results[0]?.result).toMatchObject({ outcome: 'failing', errorKind: 'response-timeout' });
    expect(results[0]?.result.latencyMs).toBeGreaterThanOrEqual(999);
  });
});

describe('limits', () => {
  it('hold back what is too much, and start it as room comes', () => {
    const { runs, loop } = stage({ limits: { total: 2, perHost: 2 } });
    for (let i = 0; i < 5; i++) loop.set(i, checkOf(i));
    for (let i = 0; i < 5; i++) loop.checkNow(i);
    expect(runs.length).toBe(2);
    expect(loop.statistics()).toMatchObject({ running: 2, waiting: 3 });
    for (let i = 0; i < 5; i++) runs[i]?.end();
    expect(runs.length).toBe(5);
    expect(loop.statistics()).toMatchObject({ running: 0, waiting: 0, results: { healthy: 5 } });
  });

  it('keep a host that hangs from holding up the others', () => {
    const { clock, runs, loop } = stage({ limits: { total: 10, perHost: 3 } });
    for (let i = 0; i < 50; i++) loop.set(i, checkOf(i, { timeoutMs: 60_000 }, 'hangs'));
    loop.set(50, checkOf(50, {}, 'good'));
    clock.advance(5000);
    expect(runs.filter(({ host }) => host === 'hangs').length).toBe(3);
    expect(runs.filter(({ host }) => host === 'good').length).toBe(1);
  });
});

describe('changes', () => {
  it('end a check that is removed, whatever it is at, without a result', () => {
    const { clock, runs, results, loop } = stage({ limits: { total: 1, perHost: 1 } });
    for (let i = 0; i < 3; i++) loop.set(i, checkOf(i));
    for (let i = 0; i < 2; i++) loop.checkNow(i);
    // One runs, one waits, one is idle.
    for (const i of [2, 1, 0]) loop.remove(i);
    expect(runs.map(({ state }) => state)).toEqual(['abandoned']);
    clock.advance(20_000);
    expect(runs.length).toBe(1);
    expect(results).toEqual([]);
    expect(loop.statistics()).toMatchObject({ checks: 0, running: 0 });
  });

  it('give room to those that wait when what runs is removed', () => {
    const { runs, loop } = stage({ limits: { total: 1, perHost: 1 } });
    for (let i = 0; i < 2; i++) loop.set(i, checkOf(i));
    for (let i = 0; i < 2; i++) loop.checkNow(i);
    loop.remove(0);
    expect(runs.map(({ state }) => state)).toEqual(['abandoned', 'running']);
  });

  it('replace a check while it runs: the old run is given up, the new one starts at once', () => {
    const { clock, runs, results, loop } = stage();
    loop.set(0, checkOf(0));
    loop.checkNow(0);
    loop.set(0, checkOf(0, {}, 'new'));
    clock.advance(10);
    expect(runs.map(({ host, state }) => [host, state])).toEqual([
      ['10.0.0.0', 'abandoned'],
      ['new', 'running'],
    ]);
    runs[1]?.end();
    expect(results.length).toBe(1);
  });

  it('leave no timer behind once all is closed', async () => {
    const { clock, loop } = stage();
    for (let i = 0; i < 10; i++) loop.set(i, checkOf(i));
    clock.advance(6000);
    await loop.close();
    expect(clock.timers).toBe(0);
  });
});

describe('a thread that is held up', () => {
  it('gives a target the time that it took from it', () => {
    const { clock, runs, results, loop } = stage();
    loop.set(0, checkOf(0));
    loop.checkNow(0);
    clock.advance(100);
    clock.stall(3000);
    expect(runs[0]?.state).toBe('running');
    clock.advance(500);
    runs[0]?.end();
    expect(results[0]?.result).toMatchObject({ outcome: 'healthy' });
    // Some of the stall was in the loop's own sleep: no more than that is counted.
    expect(results[0]?.result.latencyMs).toBeLessThan(700);
  });

  it('does not take its own lateness for a lost packet', () => {
    const { clock, runs, results, loop } = stage();
    loop.set(0, checkOf(0, { timeoutMs: 5000 }));
    loop.checkNow(0);
    clock.stall(1000);
    runs[0]?.end({ ...healthy, connectMs: 1000 });
    expect(results[0]?.result.connectMs).toBeLessThan(100);
  });

  it('finds out nothing when it is held up again: unknown, not failing', () => {
    const { clock, runs, results, loop } = stage();
    loop.set(0, checkOf(0));
    loop.checkNow(0);
    clock.stall(3000);
    clock.stall(4000);
    clock.advance(100);
    expect(runs[0]?.state).toBe('abandoned');
    expect(results[0]?.result).toMatchObject({ outcome: 'unknown', errorKind: 'checker-late' });
  });

  it('still finds a target failing once it had its time', () => {
    const { clock, results, loop } = stage();
    loop.set(0, checkOf(0));
    loop.checkNow(0);
    clock.stall(3000);
    clock.advance(6000);
    expect(results[0]?.result).toMatchObject({ outcome: 'failing', errorKind: 'response-timeout' });
  });
});

it('reads unknown when a probe can not even be started', () => {
  const { results, loop } = stage({
    prepare: () => () => {
      throw new Error('broken');
    },
  });
  loop.set(0, checkOf(0));
  loop.checkNow(0);
  expect(results[0]?.result).toMatchObject({ outcome: 'unknown', errorKind: 'checker-error', message: 'broken' });
});
