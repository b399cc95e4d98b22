/** Real threads, real sockets, and threads that die or hang. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@kurator/testenv';
import { describe, expect, it, onTestFinished } from 'vitest';

import { answering, type RawServer, rawServer } from '../../../../test/support/checks/raw-server.ts';
import type { Check } from '../check.ts';
import type { Measurement } from '../check-result.ts';
import { WorkerShard, type WorkerShardOptions } from './worker-shard.ts';

const settings = { limits: { total: 100, perHost: 100 }, jitter: 0 };
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const fixture = (name: string) => new URL(`../../../../test/support/checks/${name}`, import.meta.url);

const checkOf = ({ host, port }: RawServer, intervalMs = 60_000): Check => ({
  target: 'web-0',
  check: 'http',
  timeoutMs: 10_000,
  intervalMs,
  probe: { kind: 'http', host, port },
});

function shardWith(options: Partial<WorkerShardOptions> = {}) {
  const results: [number, Measurement][] = [];
  const shard = new WorkerShard({
    settings,
    onResult(id, result) {
      results.push([id, result]);
      return undefined;
    },
    ...options,
  });
  const kinds = () => results.map(([, { errorKind, outcome }]) => errorKind ?? outcome);
  return { shard, results, kinds, [Symbol.asyncDispose]: () => shard.close() };
}

describe('a thread of checks', () => {
  it('runs them, and brings back what they found', async () => {
    await using server = await answering(ok);
    await using stage = shardWith();
    stage.shard.set(3, checkOf(server));
    stage.shard.checkNow(3);
    const [id, result] = await eventually(() => stage.results[0] ?? false);
    expect(id).toBe(3);
    expect(result).toMatchObject({ outcome: 'healthy', statusCode: 200, message: '' });
    expect(Math.abs(result.at - Date.now())).toBeLessThan(60_000);
  });

  it('follows changes of the interval that come back with a result', async () => {
    await using server = await answering(ok);
    let count = 0;
    await using stage = shardWith({
      onResult() {
        count++;
        return 10;
      },
    });
    stage.shard.set(0, checkOf(server));
    stage.shard.checkNow(0);
    await eventually(() => count > 5);
  });

  it('says nothing of a check that was removed or replaced while it ran', async () => {
    await using hanging = await rawServer(() => {});
    await using server = await answering(ok);
    await using stage = shardWith();
    stage.shard.set(0, checkOf(hanging));
    stage.shard.checkNow(0);
    await eventually(() => hanging.connections() === 1);
    stage.shard.set(0, checkOf(server));
    await eventually(() => stage.results.length === 1);
    expect(stage.kinds()).toEqual(['healthy']);
  });

  it('counts what it does', async () => {
    await using server = await answering(ok);
    await using stage = shardWith();
    for (let id = 0; id < 20; id++) stage.shard.set(id, checkOf(server));
    for (let id = 0; id < 20; id++) stage.shard.checkNow(id);
    const statistics = await eventually(() => {
      const now = stage.shard.statistics();
      return now.results.healthy === 20 && now;
    });
    expect(statistics).toMatchObject({ checks: 20, running: 0 });
    expect(statistics.lateness.reduce((sum, count) => sum + count, 0)).toBe(20);
  });
});

describe('a thread that ends', () => {
  it('is started again with all its checks, which read unknown meanwhile', async () => {
    await using server = await answering(ok);
    const folder = await mkdtemp(join(tmpdir(), 'kurator-shard-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const dying = { ...settings, diedOnce: join(folder, 'died') };
    await using stage = shardWith({ entry: fixture('dying-shard-worker.ts'), settings: dying });
    for (let id = 0; id < 3; id++) stage.shard.set(id, checkOf(server, 500));
    await eventually(() => stage.kinds().includes('healthy'));
    const lost = stage.kinds().slice(0, 3);
    expect(lost).toEqual(['checker-lost', 'checker-lost', 'checker-lost']);
    expect(stage.kinds()).not.toContain('failing');
  });

  it('is ended and started again when it hangs', async () => {
    await using server = await answering(ok);
    await using stage = shardWith({ entry: fixture('hanging-shard-worker.ts'), silenceMs: 200 });
    stage.shard.set(0, checkOf(server));
    await eventually(() => stage.kinds().includes('checker-lost'));
  });
});
