import { ClientError, ConfigMap, type KubernetesObject, resourceType, Secret } from '@kurator/client';
import { describe, expect, it, vi } from 'vitest';
import { ManualClock, settled } from '../../test/support/manual-clock.ts';
import { type MemoryCache, memoryCache } from '../../test/support/memory-cache.ts';
import { Priority } from '../queue/priority.ts';
import { createController } from './controller.ts';
import type { ControllerOptions } from './controller-options.ts';
import type { ControllerObserver, ReconcileEnd } from './observer.ts';
import { PermanentError } from './permanent-error.ts';
import { generationChanged } from './predicate.ts';
import type { ReconcileContext } from './reconcile.ts';
import { owned, watched } from './source.ts';

interface Widget extends KubernetesObject {
  spec?: { colour?: string; secret?: string };
}
const Widget = resourceType<Widget>('example.com/v1', 'Widget');

const widget = (name: string, spec: Widget['spec'] = {}) => ({
  metadata: { name, namespace: 'n', uid: `uid-${name}`, generation: 1 },
  spec,
});
const childOf = (owner: string, name: string) => ({
  metadata: {
    name,
    namespace: 'n',
    ownerReferences: [
      { apiVersion: Widget.apiVersion, kind: 'Widget', name: owner, uid: `uid-${owner}`, controller: true },
    ],
  },
});

/** Remembers what a controller did. */
class Diary implements ControllerObserver {
  readonly ends: ({ key: string } & ReconcileEnd)[] = [];
  readonly stuck: string[] = [];
  readonly sourceErrors: unknown[] = [];
  readonly waits: number[] = [];

  onReconcileStart(_key: string, waitedSeconds: number): void {
    this.waits.push(waitedSeconds);
  }
  onReconcileEnd(key: string, end: ReconcileEnd): void {
    this.ends.push({ key, ...end });
  }
  onReconcileStuck(key: string): void {
    this.stuck.push(key);
  }
  onSourceError(kind: string, error: unknown): void {
    this.sourceErrors.push(`${kind}: ${error}`);
  }
  get outcomes(): string[] {
    return this.ends.map(({ key, outcome }) => `${key} ${outcome}`);
  }
}

interface Scene {
  widgets: MemoryCache<Widget>;
  clock: ManualClock;
  diary: Diary;
  /** Keys in the order in which they were reconciled. */
  calls: string[];
  controller: ReturnType<typeof createController>;
}

type Options = Partial<ControllerOptions<Widget>>;

function setUp(options: Options = {}, widgets = memoryCache(Widget)): Scene {
  const clock = new ManualClock();
  const diary = new Diary();
  const calls: string[] = [];
  const { reconcile = () => undefined, ...rest } = options;
  const controller = createController<Widget>({
    name: 'widget',
    for: widgets,
    clock,
    random: () => 0,
    observers: [diary],
    reconcile: (object, context) => {
      calls.push(context.key);
      return reconcile(object, context);
    },
    ...rest,
  });
  return { widgets, clock, diary, calls, controller };
}

async function started(options: Options = {}, widgets = memoryCache(Widget)): Promise<Scene> {
  const scene = setUp(options, widgets);
  await scene.controller.start();
  await settled();
  return scene;
}

describe('what is reconciled', () => {
  it('everything there is at the start, and then whatever changes', async () => {
    const widgets = memoryCache(Widget);
    widgets.put(widget('a'));
    widgets.put(widget('b'));
    const { calls } = await started({}, widgets);
    expect(calls).toEqual(['n/a', 'n/b']);
    widgets.change('n/b', (object) => {
      object.spec = { colour: 'blue' };
    });
    widgets.put(widget('c'));
    await settled();
    expect(calls).toEqual(['n/a', 'n/b', 'n/b', 'n/c']);
  });

  it('the object as it is now, once for many changes', async () => {
    const seen: unknown[] = [];
    const { widgets } = await started({ reconcile: ({ spec }) => void seen.push(spec?.colour) });
    widgets.put(widget('a', { colour: 'red' }));
    for (const colour of ['green', 'blue']) {
      widgets.change('n/a', (object) => {
        object.spec = { colour };
      });
    }
    await settled();
    expect(seen).toEqual(['blue']);
  });

  it('nothing before every cache is synced', async () => {
    const children = memoryCache(ConfigMap, false);
    const { widgets, calls, controller } = setUp({ owns: [children] });
    widgets.put(widget('a'));
    const starting = controller.start();
    await settled();
    expect(calls).toEqual([]);
    expect(controller.state).toBe('syncing');
    expect(controller.waitingFor()).toEqual(['ConfigMap']);
    children.sync();
    await starting;
    await settled();
    expect(calls).toEqual(['n/a']);
    expect(controller.waitingFor()).toEqual([]);
  });

  it('changes before what was there at the start', async () => {
    const widgets = memoryCache(Widget);
    for (const name of ['a', 'b']) widgets.put(widget(name));
    const { controller, calls } = setUp({}, widgets);
    const starting = controller.start();
    widgets.put(widget('new'));
    await starting;
    await settled();
    expect(calls).toEqual(['n/new', 'n/a', 'n/b']);
  });

  it('only what the predicates let pass', async () => {
    const { widgets, calls } = await started({ predicates: [generationChanged] });
    widgets.put(widget('a'));
    await settled();
    widgets.change('n/a', ({ metadata }) => {
      metadata.labels = { a: 'b' };
    });
    await settled();
    expect(calls).toEqual(['n/a']);
    widgets.change('n/a', ({ metadata }) => {
      metadata.generation = 2;
    });
    await settled();
    expect(calls).toEqual(['n/a', 'n/a']);
  });

  it('what it is asked to, now or later', async () => {
    const { widgets, calls, controller, clock } = await started();
    widgets.put(widget('a'));
    await settled();
    controller.enqueue({ name: 'a', namespace: 'n' });
    await settled();
    controller.enqueue({ name: 'a', namespace: 'n' }, { after: '1m', priority: Priority.resync });
    await clock.advance(59_999);
    expect(calls).toHaveLength(2);
    await clock.advance(1);
    expect(calls).toHaveLength(3);
  });

  it('nothing that is gone, unless asked for', async () => {
    const { widgets, calls, controller, diary } = await started();
    widgets.put(widget('a'));
    widgets.remove('n/a');
    controller.enqueue({ name: 'nobody', namespace: 'n' });
    await settled();
    expect(calls).toEqual([]);
    expect(diary.ends).toEqual([]);
  });

  it('what is gone, if asked for, until that succeeds', async () => {
    const gone: string[] = [];
    const deleted = ({ name }: { name: string }) => {
      gone.push(name);
      if (gone.length < 3) throw new Error('not yet');
    };
    const { widgets, clock } = await started({ deleted });
    widgets.put(widget('a'));
    await settled();
    widgets.remove('n/a');
    await clock.advance(60_000);
    expect(gone).toEqual(['a', 'a', 'a']);
  });

  it('gives up on what is gone for good, and forgets it', async () => {
    const gone: string[] = [];
    const deleted = ({ name }: { name: string }) => {
      gone.push(name);
      throw new PermanentError('never');
    };
    const { widgets, clock, controller } = await started({ deleted });
    widgets.put(widget('a'));
    await settled();
    widgets.remove('n/a');
    await clock.advance(60_000);
    expect(gone).toEqual(['a']);
    expect(controller.failing(10)).toEqual([]);
  });

  it('forgets the failures of what is deleted', async () => {
    const { widgets, clock, calls, controller } = await started({
      reconcile: () => {
        throw new Error('no');
      },
    });
    widgets.put(widget('a'));
    await settled();
    widgets.remove('n/a');
    await clock.advance(1_000_000);
    expect(calls).toHaveLength(1);
    expect(controller.failing(10)).toEqual([]);
    expect(controller.queue.delayed).toBe(0);
  });
});

describe('children and others', () => {
  it('reconciles the owner when a child changes, is deleted, or is taken away', async () => {
    const children = memoryCache(ConfigMap);
    const { widgets, calls } = await started({ owns: [children] });
    for (const name of ['a', 'b']) widgets.put(widget(name));
    await settled();
    calls.length = 0;
    children.put(childOf('a', 'one'));
    await settled();
    children.put(childOf('b', 'one'));
    await settled();
    children.remove('n/one');
    await settled();
    expect(calls).toEqual(['n/a', 'n/b', 'n/a', 'n/b']);
  });

  it('does not look at children at the start, where every owner is queued anyway', async () => {
    const children = memoryCache(ConfigMap);
    const widgets = memoryCache(Widget);
    widgets.put(widget('a'));
    children.put(childOf('a', 'one'));
    children.put(childOf('gone', 'two'));
    const { controller, calls } = await started({ owns: [children] }, widgets);
    expect(calls).toEqual(['n/a']);
    expect(controller.queue.adds).toBe(1);
  });

  it('sees a child that came while the watch was broken', async () => {
    const children = memoryCache(ConfigMap);
    const { widgets, calls } = await started({ owns: [children] });
    widgets.put(widget('a'));
    await settled();
    children.put(childOf('a', 'one'), true);
    await settled();
    expect(calls).toEqual(['n/a', 'n/a']);
  });

  it('lets only some changes of children count, if told', async () => {
    const children = memoryCache(ConfigMap);
    const { widgets, calls } = await started({
      owns: [owned(children, { predicates: [({ type }) => type === 'deleted'] })],
    });
    widgets.put(widget('a'));
    children.put(childOf('a', 'one'));
    await settled();
    expect(calls).toEqual(['n/a']);
    children.remove('n/one');
    await settled();
    expect(calls).toEqual(['n/a', 'n/a']);
  });

  it('maps a change of anything to whom it concerns, now and before', async () => {
    const secrets = memoryCache(Secret);
    const byAnnotation = ({ metadata }: Secret) =>
      (metadata.annotations?.for ?? '').split(',').map((name) => ({ name, namespace: metadata.namespace }));
    const { widgets, calls } = await started({ watches: [watched(secrets, byAnnotation)] });
    for (const name of ['a', 'b', 'c']) widgets.put(widget(name));
    await settled();
    calls.length = 0;
    secrets.put({ metadata: { name: 's', namespace: 'n', annotations: { for: 'a,b' } } });
    await settled();
    expect(calls).toEqual(['n/a', 'n/b']);
    secrets.put({ metadata: { name: 's', namespace: 'n', annotations: { for: 'c' } } });
    await settled();
    expect(calls.slice(2).sort()).toEqual(['n/a', 'n/b', 'n/c']);
  });

  it('survives predicates and mapping functions that throw, and takes the change for one that counts', async () => {
    const secrets = memoryCache(Secret);
    const broken = () => {
      throw new Error('oops');
    };
    const { widgets, calls, diary } = await started({ predicates: [broken], watches: [watched(secrets, broken)] });
    widgets.put(widget('a'));
    secrets.put({ metadata: { name: 's', namespace: 'n' } });
    await settled();
    expect(calls).toEqual(['n/a']);
    expect(diary.sourceErrors).toEqual(['Widget: Error: oops', 'Secret: Error: oops']);
  });
});

describe('calling again', () => {
  it('after the time that the reconcile asked for', async () => {
    const { widgets, clock, calls, diary } = await started({ reconcile: () => ({ requeueAfter: '30s' }) });
    widgets.put(widget('a'));
    await clock.advance(29_999);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
    expect(diary.ends[0]).toMatchObject({ outcome: 'requeue', againInSeconds: 30 });
  });

  it('after the resync period, with some chance, if there is one', async () => {
    const { widgets, clock, calls } = await started({ resync: '10h', random: () => 0.5 });
    widgets.put(widget('a'));
    await clock.advance(35_999_999);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
  });

  it('never, if nothing asks for it', async () => {
    const { widgets, clock, calls } = await started();
    widgets.put(widget('a'));
    await clock.advance(1_000_000_000);
    expect(calls).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('with backoff after an error, which says when', async () => {
    const { widgets, clock, calls, diary, controller } = await started({
      reconcile: (_, { failures }) => {
        if (failures < 3) throw new Error(`failure ${failures + 1}`);
      },
    });
    widgets.put(widget('a'));
    await clock.advance(0);
    expect(controller.failing(1)).toMatchObject([{ key: 'n/a', error: 'failure 1' }]);
    await clock.advance(10 + 20 + 40);
    expect(calls).toHaveLength(4);
    expect(diary.ends.map(({ againInSeconds }) => againInSeconds)).toEqual([0.01, 0.02, 0.04, undefined]);
    expect(diary.outcomes).toEqual(['n/a error', 'n/a error', 'n/a error', 'n/a success']);
    expect(controller.failing(1)).toEqual([]);
  });

  it('not before the server asked to be asked again', async () => {
    const busy = new ClientError('KUR_CLIENT_TOO_MANY_REQUESTS', 'busy', { status: 429, retryAfterSeconds: 7 });
    const { widgets, diary } = await started({
      reconcile: () => {
        throw busy;
      },
    });
    widgets.put(widget('a'));
    await settled();
    expect(diary.ends[0]).toMatchObject({ outcome: 'error', againInSeconds: 7 });
  });

  it('takes a duration that makes no sense for an error', async () => {
    const { widgets, diary } = await started({ reconcile: () => ({ requeueAfter: 'soon' }) });
    widgets.put(widget('a'));
    await settled();
    expect(diary.ends[0]).toMatchObject({ outcome: 'error', error: { code: 'KUR_RUNTIME_BAD_DURATION' } });
  });
});

describe('permanent errors', () => {
  const hopeless = () => {
    throw new PermanentError('the schedule makes no sense', { reason: 'InvalidSchedule' });
  };

  it('are not retried, but shown, until the object changes', async () => {
    const shown: string[] = [];
    const { widgets, clock, calls, diary } = await started({
      reconcile: hopeless,
      onPermanentError: ({ metadata }, { reason }) => void shown.push(`${metadata.name} ${reason}`),
    });
    widgets.put(widget('a'));
    await clock.advance(1_000_000);
    expect(calls).toHaveLength(1);
    expect(shown).toEqual(['a InvalidSchedule']);
    expect(diary.outcomes).toEqual(['n/a permanent']);
    widgets.change('n/a', ({ metadata }) => {
      metadata.generation = 2;
    });
    await settled();
    expect(calls).toHaveLength(2);
  });

  it('are retried if they could not be shown', async () => {
    let tries = 0;
    const { widgets, clock, diary } = await started({
      reconcile: hopeless,
      onPermanentError: async () => {
        if (++tries < 3) throw new Error('unreachable');
      },
    });
    widgets.put(widget('a'));
    await clock.advance(1_000_000);
    expect(diary.outcomes).toEqual(['n/a error', 'n/a error', 'n/a permanent']);
  });
});

describe('conflicts', () => {
  const conflict = new ClientError('KUR_CLIENT_CONFLICT', 'someone was quicker', { status: 409, reason: 'Conflict' });

  it('are retried quietly, after the object was read again', async () => {
    const refreshed: string[] = [];
    const { widgets, clock, diary } = await started({
      reconcile: (_, { failures }) => {
        if (failures < 2) throw conflict;
      },
      refresh: async ({ name }) => void refreshed.push(name),
    });
    widgets.put(widget('a'));
    await clock.advance(1000);
    expect(diary.outcomes).toEqual(['n/a conflict', 'n/a conflict', 'n/a success']);
    expect(refreshed).toEqual(['a', 'a']);
  });

  it('that never end are errors after all', async () => {
    const { widgets, clock, diary } = await started({
      reconcile: () => {
        throw conflict;
      },
    });
    widgets.put(widget('a'));
    await clock.advance(500);
    expect(new Set(diary.outcomes.slice(0, 5))).toEqual(new Set(['n/a conflict']));
    expect(diary.outcomes[5]).toBe('n/a error');
  });

  it('over who owns a field are errors at once: a newer object would not help', async () => {
    const causes = [{ field: '.spec.replicas', reason: 'FieldManagerConflict', message: 'conflict with "kubectl"' }];
    const { widgets, diary } = await started({
      reconcile: () => {
        throw new ClientError('KUR_CLIENT_CONFLICT', 'conflict', { status: 409, causes });
      },
    });
    widgets.put(widget('a'));
    await settled();
    expect(diary.outcomes).toEqual(['n/a error']);
  });
});

/** A reconcile that ends when it is told to, and counts how many run at once. */
function gate() {
  const open = new Map<string, () => void>();
  const running = new Map<string, number>();
  let most = 0;
  let twice = false;
  return {
    reconcile: (_: Widget, { key }: ReconcileContext) => {
      running.set(key, (running.get(key) ?? 0) + 1);
      most = Math.max(most, running.size);
      twice ||= running.get(key) !== 1;
      return new Promise<void>((resolve) => {
        open.set(key, () => {
          running.delete(key);
          resolve();
        });
      });
    },
    end: (key: string) => open.get(key)?.(),
    get most() {
      return most;
    },
    get twice() {
      return twice;
    },
    get running() {
      return [...running.keys()];
    },
  };
}

describe('side by side', () => {
  it('runs as many at once as it may, and never one twice', async () => {
    const work = gate();
    const { widgets, calls } = await started({ concurrency: 2, reconcile: work.reconcile });
    for (const name of ['a', 'b', 'c']) widgets.put(widget(name));
    await settled();
    expect(work.running).toEqual(['n/a', 'n/b']);
    widgets.change('n/a', ({ metadata }) => {
      metadata.generation = 2;
    });
    await settled();
    for (const key of ['n/a', 'n/b', 'n/c', 'n/a']) {
      work.end(key);
      await settled();
    }
    expect(calls).toEqual(['n/a', 'n/b', 'n/c', 'n/a']);
    expect(work.most).toBe(2);
    expect(work.twice).toBe(false);
  });

  it('keeps a failing object from delaying others', async () => {
    const { widgets, calls } = await started({
      concurrency: 1,
      reconcile: (_, { key }) => {
        if (key === 'n/bad') throw new Error('always');
      },
    });
    for (const name of ['bad', 'a', 'b', 'c']) widgets.put(widget(name));
    await settled();
    expect(calls).toEqual(['n/bad', 'n/a', 'n/b', 'n/c']);
  });
});

describe('reconciles that take too long', () => {
  it('are told by their signal, and tried again', async () => {
    const { widgets, clock, diary } = await started({
      timeout: '10s',
      reconcile: (_, { signal, failures }) => {
        if (failures > 0) return undefined;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    widgets.put(widget('a'));
    await clock.advance(11_000);
    expect(diary.outcomes).toEqual(['n/a timeout', 'n/a success']);
    expect(diary.ends[0]?.error).toMatchObject({
      code: 'KUR_RUNTIME_RECONCILE_TIMEOUT',
      message: 'reconcile of Widget n/a took longer than 10s',
    });
    expect(diary.stuck).toEqual([]);
  });

  it('lose their place if they do not care, and their object is left alone until they end', async () => {
    const work = gate();
    const reconcile = (object: Widget, context: ReconcileContext) =>
      context.key === 'n/hangs' ? work.reconcile(object, context) : undefined;
    const { widgets, clock, calls, diary, controller } = await started({ concurrency: 1, timeout: '10s', reconcile });
    widgets.put(widget('hangs'));
    await settled();
    widgets.put(widget('a'));
    await clock.advance(14_999);
    expect(calls).toEqual(['n/hangs']);
    await clock.advance(1);
    expect(calls).toEqual(['n/hangs', 'n/a']);
    expect(diary.outcomes).toEqual(['n/hangs timeout', 'n/a success']);
    expect(diary.stuck).toEqual(['n/hangs']);
    expect(controller.stuck()).toEqual([{ key: 'n/hangs', since: 0 }]);

    widgets.change('n/hangs', ({ metadata }) => {
      metadata.generation = 2;
    });
    await clock.advance(1_000_000);
    expect(calls).toEqual(['n/hangs', 'n/a']);
    work.end('n/hangs');
    await settled();
    expect(calls).toEqual(['n/hangs', 'n/a', 'n/hangs']);
    expect(work.twice).toBe(false);
    // One place, and it was not given away twice.
    expect(controller.running()).toHaveLength(1);
    work.end('n/hangs');
    await settled();
    expect(controller.stuck()).toEqual([]);
  });

  it('may take as long as they like, if there is no limit', async () => {
    const work = gate();
    const { widgets, clock, diary } = await started({ timeout: false, reconcile: work.reconcile });
    widgets.put(widget('a'));
    await clock.advance(1_000_000_000);
    work.end('n/a');
    await settled();
    expect(diary.outcomes).toEqual(['n/a success']);
  });
});

describe('stopping', () => {
  it('takes nothing new, and lets what runs finish', async () => {
    const work = gate();
    const { widgets, calls, controller, diary } = await started({ concurrency: 1, reconcile: work.reconcile });
    for (const name of ['a', 'b']) widgets.put(widget(name));
    await settled();
    const stopping = controller.stop('1m');
    widgets.put(widget('c'));
    expect(controller.state).toBe('stopping');
    expect(widgets.listeners).toBe(0);
    work.end('n/a');
    expect(await stopping).toEqual([]);
    await settled();
    expect(calls).toEqual(['n/a']);
    expect(diary.outcomes).toEqual(['n/a success']);
    expect(controller.state).toBe('stopped');
  });

  it('tells what does not finish in time to end, and says what does not even then', async () => {
    const told: string[] = [];
    const work = gate();
    const { widgets, clock, controller, diary } = await started({
      timeout: false,
      reconcile: (object, context) => {
        const { key, signal } = context;
        signal.addEventListener('abort', () => told.push(key));
        if (key === 'n/deaf') return work.reconcile(object, context);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    for (const name of ['good', 'deaf']) widgets.put(widget(name));
    await settled();
    const stopping = controller.stop('30s');
    await clock.advance(29_999);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(['n/good', 'n/deaf']);
    await clock.advance(5000);
    expect(await stopping).toEqual(['n/deaf']);
    expect(diary.outcomes).toEqual(['n/good stopped']);
    expect(clock.pending).toBe(0);
  });

  it('can be hurried while it waits', async () => {
    const { widgets, controller, diary } = await started({
      reconcile: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    widgets.put(widget('a'));
    await settled();
    const patient = controller.stop('10m');
    const hurried = controller.stop(0);
    expect(await Promise.all([patient, hurried])).toEqual([[], []]);
    expect(diary.outcomes).toEqual(['n/a stopped']);
  });

  it('ends the wait for caches that never sync', async () => {
    const { controller, calls } = setUp({}, memoryCache(Widget, false));
    const starting = controller.start();
    await controller.stop();
    await starting;
    expect(controller.state).toBe('stopped');
    expect(calls).toEqual([]);
  });

  it('is for good', async () => {
    const { controller } = await started();
    await controller.stop();
    await expect(controller.start()).rejects.toMatchObject({ code: 'KUR_RUNTIME_STARTED_TWICE' });
  });
});

describe('onlookers', () => {
  it('see how long an object waited and how long its reconcile took', async () => {
    const work = gate();
    const { widgets, clock, diary, controller } = await started({ concurrency: 1, reconcile: work.reconcile });
    for (const name of ['a', 'b']) widgets.put(widget(name));
    await clock.advance(250);
    expect(controller.running()).toEqual([{ key: 'n/a', since: 0 }]);
    expect(controller.queued(5)).toEqual([{ key: 'n/b', priority: Priority.change, readyAt: 0 }]);
    work.end('n/a');
    await settled();
    expect(diary.ends).toEqual([{ key: 'n/a', outcome: 'success', durationSeconds: 0.25 }]);
    expect(diary.waits).toEqual([0, 0.25]);
  });

  it('can surround a reconcile, each inside the next', async () => {
    const said: string[] = [];
    const around = (name: string): ControllerObserver => ({
      onReconcileStart: () => {},
      onReconcileEnd: () => {},
      around: (key, reconcile) => {
        said.push(`${name} ${key}`);
        return reconcile();
      },
    });
    const { widgets } = await started({
      observers: [around('inner'), around('outer')],
      reconcile: () => void said.push('reconcile'),
    });
    widgets.put(widget('a'));
    await settled();
    expect(said).toEqual(['outer n/a', 'inner n/a', 'reconcile']);
  });

  it('that throw harm nobody', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const broken = () => {
      throw new Error('broken');
    };
    const { widgets, calls } = await started({
      observers: [{ onReconcileStart: () => {}, onReconcileEnd: broken }],
    });
    widgets.put(widget('a'));
    await settled();
    widgets.put(widget('b'));
    await settled();
    expect(calls).toEqual(['n/a', 'n/b']);
    expect(warn).toHaveBeenCalledWith('an observer of controller widget threw: Error: broken');
    warn.mockRestore();
  });
});

describe('options that make no sense', () => {
  it.each([
    [{ name: '' }, 'needs a name'],
    [{ concurrency: 0 }, 'concurrency 0'],
    [{ concurrency: 1.5 }, 'concurrency 1.5'],
    [{ timeout: 0 }, 'a timeout of 0'],
  ])('are refused: %j', (options, message) => {
    expect(() => setUp(options)).toThrow(
      expect.objectContaining({ code: 'KUR_RUNTIME_BAD_CONTROLLER', message: expect.stringContaining(message) }),
    );
  });

  it('are refused where a duration is no duration, naming the field', () => {
    expect(() => setUp({ timeout: 'long' })).toThrow('controller widget: timeout: "long" is not a duration');
  });
});
