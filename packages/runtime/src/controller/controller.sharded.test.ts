import { ConfigMap } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { ManualClock, settled } from '../../test/support/manual-clock.ts';
import { ManualGate } from '../../test/support/manual-gate.ts';
import { memoryCache } from '../../test/support/memory-cache.ts';
import { createController } from './controller.ts';
import type { ControllerOptions } from './controller-options.ts';
import type { ReconcileEnd } from './observer.ts';
import type { ShardHold } from './shard-gate.ts';
import { watched } from './source.ts';

const map = (name: string) => ({ metadata: { name, namespace: 'n', uid: `uid-${name}` } });

async function started(options: Partial<ControllerOptions<ConfigMap>> = {}) {
  const clock = new ManualClock();
  const gate = new ManualGate();
  const maps = memoryCache(ConfigMap);
  const [calls, ends]: [string[], ReconcileEnd[]] = [[], []];
  const { reconcile = () => {}, ...rest } = options;
  const controller = createController<ConfigMap>({
    name: 'sharded',
    for: maps,
    shard: gate,
    clock,
    random: () => 0,
    observers: [{ onReconcileStart: () => {}, onReconcileEnd: (_, end) => ends.push(end) }],
    reconcile: (object, context) => {
      calls.push(object.metadata.name);
      return reconcile(object, context);
    },
    ...rest,
  });
  await controller.start();
  return { clock, gate, maps, calls, ends, controller };
}

/** A reconcile that a test ends. */
function slow() {
  const work = Promise.withResolvers<void>();
  const reasons: string[] = [];
  const reconcile: ControllerOptions<ConfigMap>['reconcile'] = async (_, { signal }) => {
    signal.addEventListener('abort', () => reasons.push((signal.reason as Error).message));
    await work.promise;
  };
  return { reconcile, finish: work.resolve, reasons };
}

describe('a controller that shares its objects', () => {
  it('looks at what is its own, and at nothing else', async () => {
    const { gate, maps, calls, controller } = await started();
    gate.gain('n/a');
    maps.put(map('a'));
    maps.put(map('b'));
    await settled();
    expect(calls).toEqual(['a']);
    // Not even in the queue: thousands of others' keys would only take up room.
    expect([controller.queue.depth, controller.queue.delayed]).toEqual([0, 0]);
  });

  it('looks at all that it gains', async () => {
    const { gate, maps, calls } = await started();
    for (const name of ['a', 'b', 'c']) maps.put(map(name));
    gate.gain('n/b');
    await settled();
    expect(calls).toEqual(['b']);
    gate.gain('n/c');
    await settled();
    expect(calls).toEqual(['b', 'c']);
  });

  it('heeds only what other kinds tell of its own', async () => {
    const secrets = memoryCache(ConfigMap);
    const concerns = () => ['a', 'b'].map((name) => ({ name, namespace: 'n' }));
    const { gate, maps, calls } = await started({ watches: [watched(secrets, concerns)] });
    for (const name of ['a', 'b']) maps.put(map(name));
    gate.gain('n/a');
    await settled();
    secrets.put(map('secret'));
    await settled();
    expect(calls).toEqual(['a', 'a']);
  });

  it('begins nothing more for what is drained, and is drained when what was begun has ended', async () => {
    const work = slow();
    const { gate, maps, calls } = await started({ reconcile: work.reconcile });
    gate.gain('n/a');
    maps.put(map('a'));
    await settled();
    maps.change('n/a', (object) => {
      object.data = { changed: 'yes' };
    });
    let drained = false;
    const draining = gate.drain('n/a').then(() => {
      drained = true;
    });
    await settled();
    expect([drained, work.reasons]).toEqual([false, []]);
    work.finish();
    await draining;
    await settled();
    expect(calls).toEqual(['a']);
  });

  it('breaks off what does not end in time to be handed over', async () => {
    const work = slow();
    const { gate, maps } = await started({ reconcile: work.reconcile });
    gate.gain('n/a');
    maps.put(map('a'));
    await settled();
    const late = new AbortController();
    const draining = gate.drain('n/a', late.signal);
    late.abort();
    expect(work.reasons).toEqual([expect.stringContaining('handed over')]);
    work.finish();
    await draining;
  });

  it('breaks off what is lost, does not try it again, and looks at it anew when it comes back', async () => {
    const work = slow();
    const { gate, maps, clock, calls, ends } = await started({
      reconcile: async (object, context) => {
        await work.reconcile(object, context);
        context.signal.throwIfAborted();
      },
    });
    gate.gain('n/a');
    maps.put(map('a'));
    await settled();
    gate.lose('n/a');
    expect(work.reasons).toEqual(['lost']);
    work.finish();
    await clock.advance('1h');
    expect(ends.map(({ outcome }) => outcome)).toEqual(['stopped']);
    gate.gain('n/a');
    await settled();
    expect(calls).toEqual(['a', 'a']);
  });

  it('drops a retry whose key has become another’s', async () => {
    const { gate, maps, clock, calls, controller } = await started({
      reconcile: () => {
        throw new Error('not yet');
      },
    });
    gate.gain('n/a');
    maps.put(map('a'));
    await settled();
    await gate.drain('n/a');
    await clock.advance('1h');
    expect(calls).toEqual(['a']);
    expect(controller.failing(10)).toEqual([]);
  });

  it('is waited for while it stops: its key is not another’s before it has ended', async () => {
    const work = slow();
    const { gate, maps, controller, clock } = await started({ reconcile: work.reconcile });
    gate.gain('n/a');
    maps.put(map('a'));
    await settled();
    const stopping = controller.stop('10s');
    let drained = false;
    const draining = gate.drain('n/a').then(() => {
      drained = true;
    });
    await clock.advance('20s');
    expect(await stopping).toEqual(['n/a']);
    expect(drained).toBe(false);
    work.finish();
    await draining;
  });

  it('reconciles under the right to the key', async () => {
    const under: string[] = [];
    const gate = new (class extends ManualGate {
      override hold(key: string): ShardHold | undefined {
        const hold = super.hold(key);
        const run = <R>(work: () => R) => {
          under.push(key);
          return work();
        };
        return hold && { ...hold, run };
      }
    })();
    const { maps } = await started({ shard: gate });
    gate.gain('n/a');
    maps.put(map('a'));
    await settled();
    expect(under).toEqual(['n/a']);
  });
});
