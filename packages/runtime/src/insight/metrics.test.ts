import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@kurator/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { ControllerStatus } from '../controller/observer.ts';
import { ApiTraffic } from './api-traffic.ts';
import { createMetrics, type MetricSources, type ShownCache } from './metrics.ts';

async function linesOf(sources: MetricSources, use: (metrics: ReturnType<typeof createMetrics>) => void = () => {}) {
  const clock = new ManualClock();
  const metrics = createMetrics(sources, clock);
  use(metrics);
  await clock.advance(10_000);
  const { body } = await metrics.text();
  return body.split('\n').filter((line) => line && !line.startsWith('#'));
}

const echo: ControllerStatus = {
  name: 'echo',
  kind: 'Echo',
  concurrency: 16,
  queue: {
    adds: 7,
    retries: 2,
    depth: 3,
    delayed: 1,
    depthByPriority: () =>
      new Map([
        [0, 1],
        [-100, 2],
      ]),
  },
  running: () => [
    { key: 'a/b', since: 4_000 },
    { key: 'a/c', since: 9_000 },
  ],
  queued: () => [],
};

describe("a controller's metrics", () => {
  const counted = linesOf({}, ({ controllers }) => {
    const observer = controllers.observer('echo');
    controllers.show(echo);
    for (const outcome of ['success', 'success', 'requeue', 'conflict', 'error', 'permanent', 'timeout'] as const) {
      observer.onReconcileStart('a/b', 0.002);
      observer.onReconcileEnd('a/b', { outcome, durationSeconds: 0.02 });
    }
    observer.onReconcileStuck?.('a/b');
  });

  it.each([
    'controller_runtime_reconcile_total{controller="echo",result="success"} 2',
    'controller_runtime_reconcile_total{controller="echo",result="requeue_after"} 1',
    'controller_runtime_reconcile_total{controller="echo",result="requeue"} 1',
    'controller_runtime_reconcile_total{controller="echo",result="error"} 3',
    'controller_runtime_reconcile_errors_total{controller="echo"} 3',
    'controller_runtime_terminal_reconcile_errors_total{controller="echo"} 1',
    'controller_runtime_reconcile_timeouts_total{controller="echo"} 1',
    'controller_runtime_reconcile_panics_total{controller="echo"} 0',
    'controller_runtime_reconcile_time_seconds_bucket{controller="echo",le="0.01"} 0',
    'controller_runtime_reconcile_time_seconds_bucket{controller="echo",le="0.025"} 7',
    'controller_runtime_reconcile_time_seconds_bucket{controller="echo",le="+Inf"} 7',
    'controller_runtime_reconcile_time_seconds_count{controller="echo"} 7',
    'controller_runtime_max_concurrent_reconciles{controller="echo"} 16',
    'controller_runtime_active_workers{controller="echo"} 2',
    'workqueue_depth{name="echo",controller="echo",priority="0"} 1',
    'workqueue_depth{name="echo",controller="echo",priority="-100"} 2',
    'workqueue_adds_total{name="echo",controller="echo"} 7',
    'workqueue_retries_total{name="echo",controller="echo"} 2',
    'workqueue_queue_duration_seconds_bucket{name="echo",controller="echo",le="0.001"} 0',
    'workqueue_queue_duration_seconds_bucket{name="echo",controller="echo",le="0.01"} 7',
    'workqueue_work_duration_seconds_count{name="echo",controller="echo"} 7',
    'workqueue_unfinished_work_seconds{name="echo",controller="echo"} 7',
    'workqueue_longest_running_processor_seconds{name="echo",controller="echo"} 6',
    'kurator_workqueue_delayed{name="echo",controller="echo"} 1',
    'kurator_reconcile_conflicts_total{controller="echo"} 1',
    'kurator_reconcile_stuck_total{controller="echo"} 1',
  ])('are named as in controller-runtime: %s', async (line) => expect(await counted).toContain(line));

  it('are there, as zeros, before anything has happened', async () => {
    const lines = await linesOf({}, ({ controllers }) => void controllers.observer('echo'));
    expect(lines).toContain('controller_runtime_reconcile_total{controller="echo",result="error"} 0');
    expect(lines).toContain('controller_runtime_reconcile_errors_total{controller="echo"} 0');
  });
});

const cache: ShownCache = {
  kind: 'ConfigMap',
  objects: 3,
  bytes: 100,
  synced: true,
  silence: 1_500,
  troubles: 1,
  lastTrouble: undefined,
  syncSeconds: 0.5,
  restarts: new Map([['expired', 1]]),
};

describe('metrics of the rest', () => {
  it('tell of caches, one series a kind', async () => {
    const lines = await linesOf({
      caches: () => [cache, { ...cache, objects: 4, synced: false, syncSeconds: undefined }],
    });
    expect(lines.filter((line) => line.startsWith('kurator_cache') || line.startsWith('kurator_watch'))).toEqual([
      'kurator_cache_objects{kind="ConfigMap"} 7',
      'kurator_cache_bytes{kind="ConfigMap"} 200',
      'kurator_cache_synced{kind="ConfigMap"} 0',
      'kurator_cache_silence_seconds{kind="ConfigMap"} 1.5',
      'kurator_watch_restarts_total{kind="ConfigMap",reason="expired"} 2',
    ]);
  });

  it('tell who leads, what became of events, and how the process does', async () => {
    const election = { lease: 'ns/op', identity: 'a', leading: true, holder: 'a', term: 1, remaining: 1, trouble: 0 };
    const events = { created: 1, updated: 2, dropped: 3, failed: 4, invalid: 5 };
    const lines = await linesOf({ election: () => election, events: () => events });
    expect(lines).toContain('leader_election_master_status{name="op"} 1');
    expect(lines).toContain('kurator_events_total{result="dropped"} 3');
    const names = new Set(lines.map((line) => line.split(/[{ ]/)[0]));
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds']) {
      expect(names).toContain(name);
    }
    expect(names).toContain('kurator_event_loop_utilization');
  });

  it('have no series twice', async () => {
    const lines = await linesOf({ caches: () => [cache, cache] }, ({ controllers }) => controllers.show(echo));
    const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(series).toEqual([...new Set(series)]);
  });

  it('take what an author adds', async () => {
    const metrics = createMetrics();
    const registry = await metrics.registry();
    const { Counter } = (await import('prom-client')).default;
    new Counter({ name: 'my_total', help: 'mine', registers: [registry] }).inc(3);
    const { body, contentType } = await metrics.text();
    expect(body).toContain('my_total 3');
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  });
});

describe('the traffic to an API server', () => {
  it('is counted by method and code, and notes the last answer', async () => {
    const answers = [200, 503, 404];
    const server = createServer((_, response) => {
      const status = answers.shift();
      if (status) response.writeHead(status).end('{}');
      else response.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const clock = new ManualClock();
    const traffic = new ApiTraffic(url, clock);
    const client = createClient({ server: url });
    onTestFinished(async () => {
      traffic.stop();
      await client.close();
      server.close();
    });
    const get = () => client.raw('GET', '/x').catch(() => {});
    await get();
    traffic.start();
    expect(traffic.lastAnswerAt).toBeUndefined();
    await get();
    expect(traffic.lastAnswerAt).toBeUndefined();
    await clock.advance(5_000);
    await client.raw('POST', '/x', { body: {} }).catch(() => {});
    expect(traffic.lastAnswerAt).toBe(5_000);
    await get();
    const host = url.slice(7);
    expect([...traffic.family.samples()]).toEqual([
      { labels: { code: '503', method: 'GET', host }, value: 1 },
      { labels: { code: '404', method: 'POST', host }, value: 1 },
      { labels: { code: '<error>', method: 'GET', host }, value: 1 },
    ]);
  });
});
