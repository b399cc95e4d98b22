import { type Condition, ConfigMap, type KubernetesObject, type ObjectMeta, resourceType } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { memoryCache } from '../../../test/support/memory-cache.ts';
import { PermanentError } from '../../controller/permanent-error.ts';
import type { Writer } from '../../writing/writer.ts';
import type { CleanupFunction, ReconcileFunction } from '../author.ts';
import type { ControllerScope } from './controller-scope.ts';
import { reconcileSteps } from './reconcile.ts';

interface Widget extends KubernetesObject {
  status?: { ready?: boolean; conditions?: Condition[] };
}
const Widget = resourceType<Widget>('example.com/v1', 'Widget');
const finalizer = 'example.com/us';

/** Does nothing but tell what it was asked to do. */
function diary(said: string[]): Writer {
  return {
    fieldManager: 'us',
    counts: { sent: 0, spared: 0 },
    async apply(type, manifest) {
      said.push(`apply ${type.kind} ${manifest.metadata.name}`);
      if (manifest.metadata.name === 'broken') throw new Error('refused');
      return manifest as never;
    },
    async writeStatus(_type, object, status) {
      said.push(`status ${JSON.stringify(status)}`);
      return object;
    },
    async addFinalizer(_type, object, name) {
      said.push(`hold by ${name}`);
      return object;
    },
    async removeFinalizer(_type, object, name) {
      said.push(`let go by ${name}`);
      return object;
    },
    async prune(_owner, caches, declared) {
      said.push(`prune ${caches.length} kinds but ${[...declared].join()}`);
      return [];
    },
    remove: async () => false,
    release: async () => false,
    refresh: async () => undefined,
  };
}

interface Declared {
  reconcile: ReconcileFunction<Widget>;
  cleanup: CleanupFunction<Widget>;
  readyCondition: string;
  writer: Writer;
}

interface Controlled {
  said: string[];
  run(metadata?: Partial<ObjectMeta>, status?: Widget['status']): Promise<unknown>;
  complain(error: PermanentError): Promise<unknown>;
}

function controlled(declared: Partial<Declared> = {}, timeIsUp = new AbortController()): Controlled {
  const { reconcile = () => undefined, cleanup, readyCondition, writer } = declared;
  const said: string[] = [];
  const maps = memoryCache(ConfigMap);
  const primary = { name: '', events: { record: () => {} } };
  const scope = {
    definition: { name: 'widget', type: Widget, settings: {}, kinds: [], reconcile, cleanup },
    clusters: new Map([['', primary]]),
    primary,
    cache: memoryCache(Widget),
    fieldManager: 'us',
    finalizer,
    readyCondition,
    lookups: { owned: () => ({ cluster: '', cache: maps, remote: false }), from: () => ({}) },
    schedules: [],
    writer: () => writer ?? diary(said),
    pruned: [maps],
    remote: [],
  } as unknown as ControllerScope;
  const steps = reconcileSteps(scope);
  const widget = (metadata: Partial<ObjectMeta> = {}, status?: Widget['status']): Widget => ({
    apiVersion: Widget.apiVersion,
    kind: Widget.kind,
    metadata: { name: 'w', namespace: 'n', uid: 'u', ...metadata },
    ...(status ? { status } : {}),
  });
  const { signal } = timeIsUp;
  const context = { key: 'n/w', reference: { name: 'w', namespace: 'n' }, signal, failures: 0 };
  return {
    said,
    run: async (metadata, status) => await steps.reconcile(widget(metadata, status), context),
    complain: async (error) => await steps.onPermanentError(widget({}, { ready: true }), error, context),
  };
}

const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] };

describe('a reconcile', () => {
  it('applies, then prunes what a whole set does not have, then writes the status', async () => {
    const { said, run } = controlled({
      reconcile: async (_, { apply, applyAll }) => {
        await apply(ConfigMap, { metadata: { name: 'child' } });
        await applyAll({});
        return { status: { ready: true }, requeueAfter: '1m' };
      },
    });
    expect(await run()).toEqual({ requeueAfter: '1m' });
    expect(said).toEqual(['apply ConfigMap child', 'prune 1 kinds but v1 ConfigMap n/child', 'status {"ready":true}']);
  });

  it('prunes nothing when it does not say that what it applied is all', async () => {
    const { said, run } = controlled({
      reconcile: async (_, { apply }) => {
        await apply(ConfigMap, { metadata: { name: 'child' } });
        return { status: { ready: true }, requeueAfter: '1m' };
      },
    });
    await run();
    expect(said).toEqual(['apply ConfigMap child', 'status {"ready":true}']);
  });

  it('prunes nothing and writes no status when it fails', async () => {
    const { said, run } = controlled({
      reconcile: async (_, { apply }) => void (await apply(ConfigMap, { metadata: { name: 'broken' } })),
    });
    await expect(run()).rejects.toThrow('refused');
    expect(said).toEqual(['apply ConfigMap broken']);
  });

  it('writes nothing more once its time is up, though the author took no notice', async () => {
    const timeIsUp = new AbortController();
    const reconcile = async () => {
      timeIsUp.abort();
      return { status: { ready: true } };
    };
    const { said, run } = controlled({ reconcile, cleanup: async () => timeIsUp.abort() }, timeIsUp);
    await expect(run()).rejects.toThrow('aborted');
    await expect(run(deleting)).rejects.toThrow('aborted');
    expect(said).toEqual([`hold by ${finalizer}`]);
  });

  it('does not prune a child that could not be written just now', async () => {
    const { said, run } = controlled({
      reconcile: async (_, { apply, applyAll }) => {
        await apply(ConfigMap, { metadata: { name: 'broken' } }).catch(() => {});
        await applyAll({});
      },
    });
    await run();
    expect(said).toContain('prune 1 kinds but v1 ConfigMap n/broken');
  });

  it('does nothing for what is being deleted, if there is nothing to clean up', async () => {
    const { said, run } = controlled();
    await run({ deletionTimestamp: 'now', finalizers: ['other.com/theirs'] });
    expect(said).toEqual([]);
  });
});

describe('with a clean-up', () => {
  it('holds the object first', async () => {
    const { said, run } = controlled({ cleanup: () => undefined });
    await run();
    expect(said[0]).toBe(`hold by ${finalizer}`);
  });

  it('lets it go when the clean-up is done', async () => {
    const { said, run } = controlled({ cleanup: () => undefined });
    await run(deleting);
    expect(said).toEqual([`let go by ${finalizer}`]);
  });

  it('does not clean up again what is gone, although the cache still shows it', async () => {
    let cleanups = 0;
    const writer = { ...diary([]), removeFinalizer: async () => undefined };
    const { run } = controlled({ writer, cleanup: () => void cleanups++ });
    for (const uid of ['u', 'u', 'another']) await run({ ...deleting, uid });
    expect(cleanups).toBe(2);
  });

  it('does not let it go while the clean-up fails, or asks for more time', async () => {
    const failing = controlled({
      cleanup: () => {
        throw new Error('not yet');
      },
    });
    await expect(failing.run(deleting)).rejects.toThrow('not yet');
    const waiting = controlled({ cleanup: async () => ({ requeueAfter: '5s' }) });
    expect(await waiting.run(deleting)).toEqual({ requeueAfter: '5s' });
    expect([...failing.said, ...waiting.said]).toEqual([]);
  });

  it('cleans up only what it holds', async () => {
    const { said, run } = controlled({ cleanup: () => expect.unreachable('nothing is to be cleaned up') });
    await run({ ...deleting, finalizers: ['other.com/theirs'] });
    expect(said).toEqual([]);
  });
});

describe('with a condition that is kept', () => {
  const theirs = { type: 'Theirs', status: 'True', reason: 'X' } as const;
  const failed = { type: 'Ready', status: 'False', reason: 'Bad' } as const;
  const statuses = ({ said }: Controlled) =>
    said.flatMap((line) => (line.startsWith('status ') ? [JSON.parse(line.slice(7))] : []));

  it('shows a permanent error, and leaves the rest of the status', async () => {
    const widget = controlled({ readyCondition: 'Ready' });
    await widget.complain(new PermanentError('no', { reason: 'Bad' }));
    expect(statuses(widget)).toEqual([{ ready: true, conditions: [{ ...failed, message: 'no' }] }]);
  });

  it('takes it back with the next success, and claims nothing in the name of others', async () => {
    const widget = controlled({ readyCondition: 'Ready' });
    await widget.run({}, { ready: true, conditions: [theirs, failed] });
    const success = { type: 'Ready', status: 'True', reason: 'Reconciled' };
    expect(statuses(widget)).toEqual([{ ready: true, conditions: [success] }]);
  });

  it('lets the reconcile say it in its own way', async () => {
    const own = { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Waiting' } as const] };
    const widget = controlled({ readyCondition: 'Ready', reconcile: () => own });
    await widget.run();
    expect(statuses(widget)).toEqual([own]);
  });
});
