import { type Condition, ConfigMap, type KubernetesObject, type ObjectMeta, resourceType } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { memoryCache } from '../../test/support/memory-cache.ts';
import { PermanentError } from '../controller/permanent-error.ts';
import { type DeclarativeOptions, declarative } from './declarative.ts';
import type { Writer } from './writer.ts';

interface Widget extends KubernetesObject {
  status?: { ready?: boolean; conditions?: Condition[] };
}
const Widget = resourceType<Widget>('example.com/v1', 'Widget');
const finalizer = 'example.com/cleanup';

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

interface Scene {
  said: string[];
  run(metadata?: Partial<ObjectMeta>, status?: Widget['status']): Promise<unknown>;
  complain(error: PermanentError): Promise<void>;
}

function setUp(options: Partial<DeclarativeOptions<Widget>> = {}, timeIsUp = new AbortController()): Scene {
  const said: string[] = [];
  const parts = declarative<Widget>({
    writer: diary(said),
    for: memoryCache(Widget),
    prunes: [memoryCache(ConfigMap)],
    reconcile: async () => undefined,
    ...options,
  });
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
    run: async (metadata, status) => await parts.reconcile(widget(metadata, status), context),
    complain: async (error) => await parts.onPermanentError(widget({}, { ready: true }), error, context),
  };
}

const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] };

describe('a declarative reconcile', () => {
  it('applies, then prunes what a whole set does not have, then writes the status', async () => {
    const { said, run } = setUp({
      reconcile: async (_, { apply }) => {
        await apply(ConfigMap, { metadata: { name: 'child' } });
        return { status: { ready: true }, requeueAfter: '1m', whole: true };
      },
    });
    expect(await run()).toEqual({ requeueAfter: '1m' });
    expect(said).toEqual(['apply ConfigMap child', 'prune 1 kinds but v1 ConfigMap n/child', 'status {"ready":true}']);
  });

  it('prunes nothing when it does not say that what it applied is all', async () => {
    const { said, run } = setUp({
      reconcile: async (_, { apply }) => {
        await apply(ConfigMap, { metadata: { name: 'child' } });
        return { status: { ready: true }, requeueAfter: '1m' };
      },
    });
    await run();
    expect(said).toEqual(['apply ConfigMap child', 'status {"ready":true}']);
  });

  it('prunes nothing and writes no status when it fails', async () => {
    const { said, run } = setUp({
      reconcile: async (_, { apply }) => void (await apply(ConfigMap, { metadata: { name: 'broken' } })),
    });
    await expect(run()).rejects.toThrow('refused');
    expect(said).toEqual(['apply ConfigMap broken']);
  });

  it('writes nothing more once its time is up, though the reconcile took no notice', async () => {
    const timeIsUp = new AbortController();
    const reconcile = async () => {
      timeIsUp.abort();
      return { status: { ready: true } };
    };
    const { said, run } = setUp({ reconcile, finalizer: { name: finalizer, cleanup: reconcile as never } }, timeIsUp);
    await expect(run()).rejects.toThrow('aborted');
    await expect(run(deleting)).rejects.toThrow('aborted');
    expect(said).toEqual([`hold by ${finalizer}`]);
  });

  it('does not prune a child that could not be written just now', async () => {
    const { said, run } = setUp({
      reconcile: async (_, { apply }) => {
        await apply(ConfigMap, { metadata: { name: 'broken' } }).catch(() => {});
        return { whole: true };
      },
    });
    await run();
    expect(said).toContain('prune 1 kinds but v1 ConfigMap n/broken');
  });

  it('does nothing for what is being deleted, if there is nothing to clean up', async () => {
    const { said, run } = setUp();
    await run({ deletionTimestamp: 'now', finalizers: ['other.com/theirs'] });
    expect(said).toEqual([]);
  });
});

describe('with a finalizer', () => {
  const cleaning = (cleanup: () => Promise<{ requeueAfter: string } | undefined>) =>
    setUp({ finalizer: { name: finalizer, cleanup } });

  it('holds the object first', async () => {
    const { said, run } = cleaning(async () => undefined);
    await run();
    expect(said[0]).toBe(`hold by ${finalizer}`);
  });

  it('lets it go when the clean-up is done', async () => {
    const { said, run } = cleaning(async () => undefined);
    await run(deleting);
    expect(said).toEqual([`let go by ${finalizer}`]);
  });

  it('does not clean up again what is gone, although the cache still shows it', async () => {
    let cleanups = 0;
    const finalizing = { name: finalizer, cleanup: async () => void cleanups++ };
    const writer = { ...diary([]), removeFinalizer: async () => undefined };
    const { run } = setUp({ writer, finalizer: finalizing });
    for (const uid of ['u', 'u', 'another']) await run({ ...deleting, uid });
    expect(cleanups).toBe(2);
  });

  it('does not let it go while the clean-up fails, or asks for more time', async () => {
    const failing = cleaning(async () => {
      throw new Error('not yet');
    });
    await expect(failing.run(deleting)).rejects.toThrow('not yet');
    const waiting = cleaning(async () => ({ requeueAfter: '5s' }));
    expect(await waiting.run(deleting)).toEqual({ requeueAfter: '5s' });
    expect([...failing.said, ...waiting.said]).toEqual([]);
  });

  it('cleans up only what it holds', async () => {
    const { said, run } = cleaning(async () => expect.unreachable('nothing is to be cleaned up'));
    await run({ ...deleting, finalizers: ['other.com/theirs'] });
    expect(said).toEqual([]);
  });

  it('wants a domain in its name from the beginning', () => {
    expect(() => setUp({ finalizer: { name: 'cleanup', cleanup: async () => undefined } })).toThrow(
      expect.objectContaining({ code: 'KUR_RUNTIME_BAD_FINALIZER' }),
    );
  });
});

describe('with a condition for errors', () => {
  const theirs = { type: 'Theirs', status: 'True', reason: 'X' } as const;
  const failed = { type: 'Ready', status: 'False', reason: 'Bad' } as const;
  const statuses = ({ said }: Scene) =>
    said.flatMap((line) => (line.startsWith('status ') ? [JSON.parse(line.slice(7))] : []));

  it('shows a permanent error, and leaves the rest of the status', async () => {
    const scene = setUp({ errorCondition: 'Ready' });
    await scene.complain(new PermanentError('no', { reason: 'Bad' }));
    expect(statuses(scene)).toEqual([{ ready: true, conditions: [{ ...failed, message: 'no' }] }]);
  });

  it('takes it back with the next success, and claims nothing in the name of others', async () => {
    const scene = setUp({ errorCondition: 'Ready' });
    await scene.run({}, { ready: true, conditions: [theirs, failed] });
    const success = { type: 'Ready', status: 'True', reason: 'Reconciled' };
    expect(statuses(scene)).toEqual([{ ready: true, conditions: [success] }]);
  });

  it('lets the reconcile say it in its own way', async () => {
    const own = { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Waiting' }] };
    const scene = setUp({ errorCondition: 'Ready', reconcile: async () => ({ status: own }) });
    await scene.run();
    expect(statuses(scene)).toEqual([own]);
  });
});
