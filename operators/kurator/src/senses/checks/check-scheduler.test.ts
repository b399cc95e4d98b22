/** The scheduler as its users see it: names, real probes, with and without threads. */

import { eventually } from '@kurator/testenv';
import { describe, expect, it } from 'vitest';

import { answering, type RawServer, rawServer } from '../../../test/support/checks/raw-server.ts';
import type { Check } from './check.ts';
import type { CheckResult } from './check-result.ts';
import { CheckScheduler, type CheckSchedulerOptions } from './check-scheduler.ts';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const checkOf = ({ host, port }: RawServer, settings: Partial<Check> = {}): Check => ({
  target: 'web-0',
  check: 'http',
  timeoutMs: 10_000,
  intervalMs: 60_000,
  probe: { kind: 'http', host, port },
  ...settings,
});

function schedulerWith(options: Partial<CheckSchedulerOptions> = {}) {
  const results: CheckResult[] = [];
  const scheduler = new CheckScheduler({
    onResult(result) {
      results.push(result);
      return undefined;
    },
    ...options,
  });
  return { scheduler, results, [Symbol.asyncDispose]: () => scheduler.close() };
}

describe.each([0, 2])('with %i threads', (threads) => {
  it('names target and check in each result', async () => {
    await using server = await answering(ok);
    await using stage = schedulerWith({ threads });
    stage.scheduler.set(checkOf(server));
    stage.scheduler.set(
      checkOf(server, { check: 'tcp', probe: { kind: 'tcp', host: server.host, port: server.port } }),
    );
    stage.scheduler.checkNow({ target: 'web-0', check: 'http' });
    stage.scheduler.checkNow({ target: 'web-0', check: 'tcp' });
    await eventually(() => stage.results.length === 2);
    const named = stage.results.map(({ target, check, outcome }) => `${target} ${check} ${outcome}`);
    expect(named.sort()).toEqual(['web-0 http healthy', 'web-0 tcp healthy']);
  });

  it('looks as often as who gets the results wants', async () => {
    await using server = await answering(ok);
    let count = 0;
    await using stage = schedulerWith({
      threads,
      onResult() {
        count++;
        return count < 5 ? 10 : 60_000;
      },
    });
    stage.scheduler.set(checkOf(server));
    stage.scheduler.checkNow({ target: 'web-0', check: 'http' });
    await eventually(() => count >= 5);
  });

  it('says nothing more of what was removed', async () => {
    await using hanging = await rawServer(() => {});
    await using stage = schedulerWith({ threads });
    const check = checkOf(hanging, { timeoutMs: 300 });
    stage.scheduler.set(check);
    stage.scheduler.checkNow(check);
    await eventually(() => hanging.connections() === 1);
    stage.scheduler.remove(check);
    expect(stage.scheduler.size).toBe(0);
    // Another takes its place, and its number.
    stage.scheduler.set({ ...check, target: 'web-1' });
    stage.scheduler.checkNow({ ...check, target: 'web-1' });
    await eventually(() => stage.results.length > 0);
    expect(stage.results.map(({ target }) => target)).toEqual(['web-1']);
  });

  it('goes on with what runs when only the interval changes', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using server = await rawServer((socket) => void promise.then(() => socket.end(ok)));
    await using stage = schedulerWith({ threads });
    const check = checkOf(server);
    stage.scheduler.set(check);
    stage.scheduler.checkNow(check);
    await eventually(() => server.connections() === 1);
    stage.scheduler.set({ ...check, intervalMs: 30_000 });
    resolve();
    await eventually(() => stage.results.length === 1);
    expect(server.connections()).toBe(1);
  });

  it('runs commands by the function that it was given', async () => {
    await using stage = schedulerWith({ threads, exec: () => Promise.resolve({ exitCode: 1, output: 'no' }) });
    const probe = { kind: 'exec', namespace: 'shop', pod: 'web-0', container: 'web', command: ['ok'] } as const;
    const check = { target: 'web-0', check: 'exec', timeoutMs: 1000, intervalMs: 1000, probe };
    stage.scheduler.set(check);
    stage.scheduler.checkNow(check);
    await eventually(() => stage.results.length > 0);
    expect(stage.results[0]).toMatchObject({ target: 'web-0', check: 'exec', errorKind: 'exit-code' });
  });

  it('changes a check from one kind to another', async () => {
    await using server = await answering(ok);
    await using stage = schedulerWith({ threads, exec: () => Promise.resolve({ exitCode: 1, output: '' }) });
    const probe = { kind: 'exec', namespace: 'shop', pod: 'web-0', container: 'web', command: ['ok'] } as const;
    stage.scheduler.set(checkOf(server, { probe }));
    stage.scheduler.set(checkOf(server));
    stage.scheduler.checkNow(checkOf(server));
    await eventually(() => stage.results.length > 0);
    expect(stage.scheduler.size).toBe(1);
    expect(stage.results[0]).toMatchObject({ outcome: 'healthy', statusCode: 200 });
  });
});

it('does not blame a target for the time in which this thread was held up', async () => {
  await using server = await answering(ok);
  await using stage = schedulerWith({ threads: 0 });
  const check = checkOf(server, { timeoutMs: 300 });
  stage.scheduler.set(check);
  stage.scheduler.checkNow(check);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  await eventually(() => stage.results.length > 0);
  expect(stage.results[0]?.outcome).not.toBe('failing');
  expect(stage.results[0]?.latencyMs).toBeLessThan(1500);
});

it('adds tens of thousands in little time, and counts them', async () => {
  await using stage = schedulerWith({ threads: 0 });
  const probe = { kind: 'tcp', host: '127.0.0.1', port: 9 } as const;
  for (let i = 0; i < 20_000; i++) {
    stage.scheduler.set({ target: `web-${i}`, check: 'tcp', timeoutMs: 1000, intervalMs: 86_400_000, probe });
  }
  expect(stage.scheduler.size).toBe(20_000);
  expect(stage.scheduler.statistics().checks).toBe(20_000);
  for (let i = 0; i < 20_000; i++) stage.scheduler.remove({ target: `web-${i}`, check: 'tcp' });
  expect(stage.scheduler.statistics().checks).toBe(0);
});

it.each([
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ intervalMs: Number.NaN }, 'intervalMs'],
])('refuses times that make no sense: %j', async (times, field) => {
  await using server = await answering(ok);
  await using stage = schedulerWith({ threads: 0 });
  expect(() => stage.scheduler.set(checkOf(server, times))).toThrow(field);
});
