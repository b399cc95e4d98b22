// What is left of the sweep of kept children when this process no longer leads.
import { type Client, ConfigMap } from '@kurator/client';
import { afterEach, expect, it, vi } from 'vitest';
import { ManualClock, settled } from '../../../test/support/manual-clock.ts';
import { memoryCache } from '../../../test/support/memory-cache.ts';
import { silentLogger } from '../../insight/late-logger.ts';
import { managedByLabel } from '../../writing/declaration.ts';
import type { ControllerScope } from './controller-scope.ts';
import { retainedChildren } from './retained-children.ts';

const stop = new AbortController();
afterEach(() => stop.abort());

/** Children whose time is over, and deletions that end when they are told to. */
function kept(children: number) {
  const clock = new ManualClock();
  const cache = memoryCache(ConfigMap);
  const labels = { [managedByLabel]: 'test' };
  const annotations = { 'kurator.dev/delete-after': new Date(clock.date() - 1).toISOString() };
  for (let i = 0; i < children; i += 1) cache.put({ metadata: { name: `c${i}`, namespace: 'n', labels, annotations } });
  const deletions: PromiseWithResolvers<void>[] = [];
  const client = {
    delete() {
      const deletion = Promise.withResolvers<void>();
      deletions.push(deletion);
      return deletion.promise;
    },
  } as unknown as Client;
  const scope = {
    fieldManager: 'test',
    definition: { type: ConfigMap },
    cache: memoryCache(ConfigMap),
    remote: [{ cluster: '', cache }],
    clusters: new Map([['', { client }]]),
  } as unknown as ControllerScope;
  return { clock, cache, deletions, sweep: retainedChildren(scope, clock) };
}

it('deletes nothing more, listens to nothing and sets no timer once it was told to stop', async () => {
  const { clock, cache, deletions, sweep } = kept(2);
  const context = { stop: stop.signal, abort: stop.signal, remaining: () => 0, logger: silentLogger };
  const running = sweep.run(context);
  await clock.advance(0);
  await vi.waitFor(() => expect(deletions).toHaveLength(1), 20_000);
  stop.abort();
  await running;
  deletions[0]?.resolve();
  await settled();
  await clock.advance(10 * 60_000);
  expect({ deletions: deletions.length, listeners: cache.listeners, timers: clock.pending }).toEqual({
    deletions: 1,
    listeners: 0,
    timers: 0,
  });
});
