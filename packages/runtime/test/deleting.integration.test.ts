// Deleting is said, never inferred: over random histories of passes, against the real API server.
import {
  type Client,
  ConfigMap,
  type KubernetesObject,
  type ResourceType,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
  waitFor,
} from '@kurator/client';
import { eventually, sharedClient, testNamespace } from '@kurator/testenv';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthorContext, child, installCrds, type Operator, operator, type RunningOperator } from '../src/index.ts';
import { Garden, quietly } from './support/garden.ts';

let client: Client;
let namespace: string;
let other: string;
let running: RunningOperator | undefined;

beforeAll(async () => {
  const setUp = await sharedClient();
  await installCrds(setUp, [Garden]);
  await setUp.close();
});

beforeEach(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'deleting');
  other = await testNamespace(client, 'other');
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  await client.close();
});

const start = async (what: Operator, by = client) => {
  running = await what.start({ ...quietly(by, [namespace, other]), installCrds: 'never' });
};
const here = (name: string) => ({ name, namespace });
const plant = (name: string, spec: Partial<Garden['spec']> = {}) =>
  client.create(Garden, { metadata: here(name), spec: { beds: [], ...spec } });
const change = (name: string, spec: Partial<Garden['spec']>) => client.patch(Garden, here(name), { spec });
const untilPlanted = (name: string, planted: number) =>
  waitFor(client, Garden, here(name), ({ status }) => status?.planted === planted);
const isThere = async (type: ResourceType<KubernetesObject>, name: string) =>
  (await client.find(type, here(name))) !== undefined;

const labels = { app: 'test' };
const stateful = {
  serviceName: 'none',
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none' }] } },
};

describe('a pass that returns early', () => {
  it.each([
    ['with a requeue', { requeueAfter: 60_000 }],
    ['with nothing', {}],
  ])('%s leaves the children as they are', async (_, result) => {
    const careful = operator()
      .controller(Garden)
      .owns(ConfigMap)
      .reconcile(async ({ metadata, spec }, { applyAll }) => {
        if (spec.soil === 'unknown') return { ...result, status: { planted: 99 } };
        await applyAll({ one: child(ConfigMap, { metadata: { name: metadata.name } }) });
        return { status: { planted: 1 } };
      });
    await start(careful);
    await plant('rose');
    await untilPlanted('rose', 1);
    await change('rose', { soil: 'unknown' });
    // The status is written after all that a pass deletes.
    await untilPlanted('rose', 99);
    expect(await isThere(ConfigMap, 'rose')).toBe(true);
  });
});

describe('a set', () => {
  it('that comes after another, or before something else, is refused, and so deletes nothing', async () => {
    const halves = operator()
      .controller(Garden)
      .owns(ConfigMap)
      .reconcile(async ({ spec }, { apply, applyAll }) => {
        await applyAll(Object.fromEntries(spec.beds.map((name) => [name, child(ConfigMap, { metadata: { name } })])));
        if (spec.soil === 'apply') await apply(ConfigMap, { metadata: { name: 'later' } });
        if (spec.soil === 'applyAll') await applyAll({});
        return { status: { planted: spec.beds.length } };
      });
    await start(halves);
    await plant('rose', { beds: ['a', 'b'] });
    await untilPlanted('rose', 2);
    for (const soil of ['apply', 'applyAll']) {
      await change('rose', { beds: ['a'], soil });
      const { status, metadata } = await waitFor(client, Garden, here('rose'), ({ metadata, status }) =>
        Boolean(
          status?.conditions?.some((one) => one.status === 'False' && one.observedGeneration === metadata.generation),
        ),
      );
      expect([metadata.name, status?.conditions?.[0]?.message]).toEqual([
        'rose',
        expect.stringContaining('applyAll comes last'),
      ]);
      expect(await isThere(ConfigMap, 'b')).toBe(true);
    }
  });

  it('that something else was to follow deletes nothing, though the author catches the refusal', async () => {
    const careless = operator()
      .controller(Garden)
      .owns(ConfigMap)
      .reconcile(async ({ spec }, { apply, applyAll }) => {
        const set = Object.fromEntries(spec.beds.map((name) => [name, child(ConfigMap, { metadata: { name } })]));
        // Also while it is still being applied.
        if (spec.soil === 'at once') await Promise.allSettled([applyAll(set), applyAll({})]);
        else await applyAll(set);
        if (spec.soil === 'after') await apply(ConfigMap, { metadata: { name: 'later' } }).catch(() => {});
        return { status: { planted: spec.beds.length } };
      });
    await start(careless);
    await plant('rose', { beds: ['a', 'b', 'c'] });
    await untilPlanted('rose', 3);
    await change('rose', { beds: ['a', 'b'], soil: 'after' });
    await untilPlanted('rose', 2);
    await change('rose', { beds: ['a'], soil: 'at once' });
    await untilPlanted('rose', 1);
    expect([await isThere(ConfigMap, 'b'), await isThere(ConfigMap, 'c')]).toEqual([true, true]);
  });

  it('that is empty takes all children only where that is said', async () => {
    const emptying = operator()
      .controller(Garden)
      .owns(ConfigMap)
      .owns(Secret)
      .reconcile(async ({ spec }, { applyAll }) => {
        const set = spec.beds.map((name) => [name, child(ConfigMap, { metadata: { name } })]);
        await applyAll(Object.fromEntries(set), { allowEmpty: spec.soil === 'sand' });
        return { status: { planted: spec.beds.length } };
      });
    await start(emptying);
    // Nothing is lost where there is nothing.
    await plant('tulip');
    await untilPlanted('tulip', 0);
    await plant('rose', { beds: ['a', 'b'] });
    await untilPlanted('rose', 2);
    await change('rose', { beds: [] });
    const failed = await waitFor(client, Garden, here('rose'), ({ metadata, status }) =>
      Boolean(
        status?.conditions?.some((one) => one.status === 'False' && one.observedGeneration === metadata.generation),
      ),
    );
    expect(failed.status?.conditions?.[0]?.message).toMatch(/ConfigMap [ab], ConfigMap [ab].*allowEmpty/s);
    expect([await isThere(ConfigMap, 'a'), await isThere(ConfigMap, 'b')]).toEqual([true, true]);
    await change('rose', { soil: 'sand' });
    await untilPlanted('rose', 0);
    await eventually(async () => expect(await isThere(ConfigMap, 'a')).toBe(false));
    await eventually(async () => expect(await isThere(ConfigMap, 'b')).toBe(false));
  });

  it('that could not be applied deletes nothing, though the author goes on', async () => {
    const stubborn = operator()
      .controller(Garden)
      .owns(ConfigMap)
      .reconcile(async ({ spec }, { applyAll }) => {
        const set = spec.beds.map((name) => [name, child(ConfigMap, { metadata: { name } })]);
        await applyAll(Object.fromEntries(set)).catch(() => {});
        return { status: { planted: spec.beds.length } };
      });
    await start(stubborn);
    await plant('rose', { beds: ['a', 'b', 'c'] });
    await untilPlanted('rose', 3);
    await change('rose', { beds: ['a', 'Not_A_Name'] });
    await untilPlanted('rose', 2);
    expect([await isThere(ConfigMap, 'b'), await isThere(ConfigMap, 'c')]).toEqual([true, true]);
  });
});

describe('remove', () => {
  it('deletes the child of that name, of whatever kind, and nothing that is somebody else’s', async () => {
    const removing = operator()
      .controller(Garden)
      .owns(Secret)
      .reconcile(async ({ spec }, { apply, remove }) => {
        for (const name of spec.beds) await apply(Secret, { metadata: { name } });
        const removed = spec.soil ? [await remove(Secret, spec.soil), await remove(Secret, 'stranger')] : [];
        return { status: { planted: spec.beds.length + 10 * removed.filter(Boolean).length } };
      });
    await client.create(Secret, { metadata: here('stranger') });
    await start(removing);
    await plant('rose', { beds: ['a', 'b'] });
    await untilPlanted('rose', 2);
    await change('rose', { beds: ['a'], soil: 'b' });
    await eventually(async () => expect(await isThere(Secret, 'b')).toBe(false));
    expect([await isThere(Secret, 'a'), await isThere(Secret, 'stranger')]).toEqual([true, true]);
  });
});

/** Kinds of children, in their order, and whether a whole set takes away what it doesn't have. */
const kinds = [
  { type: ConfigMap, pruned: true, body: {} },
  { type: Secret, pruned: false, body: {} },
  { type: ServiceAccount, pruned: false, body: {} },
  { type: StatefulSet, pruned: true, body: { spec: stateful } },
  { type: Service, pruned: true, body: { spec: { ports: [{ port: 80 }] } } },
] as const;

/** A child by its kind's place in the list, and one of a few names. */
type Named = readonly [kind: number, name: string];
interface Script {
  readonly before: readonly Named[];
  readonly removes: readonly Named[];
  /** What is said to be whole; null where nothing is. */
  readonly set: readonly Named[] | null;
  /** One of the set is refused by the server; the author may go on. */
  readonly refused: 'no' | 'thrown' | 'caught';
  /** Whether the set may be empty. */
  readonly allowEmpty: boolean;
  readonly end: 'nothing' | 'requeue' | 'throw' | 'apply more' | 'apply more, and catch';
}

const named = fc.tuple(fc.nat(kinds.length - 1), fc.constantFrom('a', 'b', 'c'));
const some = fc.array(named, { maxLength: 4 });
const script: fc.Arbitrary<Script> = fc.record({
  before: some,
  removes: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(named, { maxLength: 2 }) },
  ),
  set: fc.oneof(some, fc.constant(null)),
  refused: fc.constantFrom('no', 'no', 'no', 'thrown', 'caught'),
  allowEmpty: fc.boolean(),
  end: fc.constantFrom('nothing', 'nothing', 'requeue', 'throw', 'apply more', 'apply more, and catch'),
});

/** What a pass has said so far, to be judged by what is then deleted. */
class Said {
  readonly declared = new Set<string>();
  readonly removed = new Set<string>();
  whole = false;
  failed = false;
  mayLoseAll = false;

  justifies(kind: string, name: string): boolean {
    const what = `${kind} ${name}`;
    const isPruned = kinds.some(({ type, pruned }) => type.kind === kind && pruned);
    const isWhole = this.whole && !this.failed && (this.mayLoseAll || this.declared.size > 0);
    return this.removed.has(what) || (isPruned && isWhole && !this.declared.has(what));
  }
}

/** Plays what is written for one pass, and keeps what it has said. */
async function play(garden: string, script: Script, context: AuthorContext, said: Said) {
  const known = (one: Named) => {
    const { type, body } = kinds[one[0]] as (typeof kinds)[number];
    const place = { name: `${garden}-${one[1]}`, ...(type === Service && { namespace: other }) };
    return { type: type as ResourceType<KubernetesObject>, body, place, text: `${type.kind} ${place.name}` };
  };
  const made = (one: Named) => {
    const { type, body, place, text } = known(one);
    said.declared.add(text);
    return [type, { ...body, metadata: place }] as const;
  };
  for (const one of script.before) await context.apply(...made(one));
  for (const one of script.removes) {
    const { type, place, text } = known(one);
    said.removed.add(text);
    await context.remove(type, place);
  }
  if (script.set) {
    const bad = script.refused === 'no' ? {} : { bad: child(ConfigMap, { metadata: { name: 'Not_A_Name' } }) };
    const set = Object.fromEntries(script.set.map((one) => [one.join('-'), child(...made(one))]));
    said.mayLoseAll = script.allowEmpty;
    const applied = context.applyAll({ ...set, ...bad }, { allowEmpty: script.allowEmpty });
    await (script.refused === 'caught' ? applied.catch(() => {}) : applied);
    said.whole = script.refused === 'no';
  }
  if (script.end === 'apply more') await context.apply(...made([0, 'a']));
  if (script.end === 'apply more, and catch') {
    if (script.set) said.whole = false;
    await context.apply(...made([0, 'a'])).catch(() => {});
  }
  if (script.end === 'throw') throw new Error('as told');
  return script.end === 'requeue' ? context.requeue('1h') : undefined;
}

/** The children of a garden of kinds that are pruned. */
async function leftOf(garden: string): Promise<string[]> {
  const lists = kinds
    .filter(({ pruned }) => pruned)
    .map(({ type }) =>
      client.list(type as ResourceType<KubernetesObject>, { namespace: type === Service ? other : namespace }),
    );
  const all = (await Promise.all(lists)).flatMap(({ items }) => items);
  const mine = all.filter(({ metadata }) => metadata.name.startsWith(`${garden}-`));
  return mine.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

// At last all is said to be one ConfigMap: so every history can also fail by keeping too much.
const last: Script = { before: [], removes: [], set: [[0, 'z']], refused: 'no', allowEmpty: false, end: 'nothing' };

describe('over random histories', () => {
  it('nothing goes but what a whole set no longer has, or what is removed by its name; and no data', async () => {
    const scripts = new Map<string, Script>();
    const begun = new Set<string>();
    // By garden: an earlier one may have another pass meanwhile, and of each there is one at a time.
    const saidOf = new Map<string, Said>();
    const deleted: string[] = [];
    const unjustified: string[] = [];
    const judged: Client = {
      ...client,
      async delete(type, reference, options) {
        deleted.push(reference.name);
        const [garden = ''] = reference.name.split('-');
        if (!saidOf.get(garden)?.justifies(type.kind, reference.name))
          unjustified.push(`${type.kind} ${reference.name}`);
        return await client.delete(type, reference, options);
      },
    };
    const player = operator({ name: 'histories' })
      .controller(Garden, { backoff: { first: '10ms', longest: '20ms' } })
      .owns(ConfigMap)
      .owns(Secret)
      .owns(ServiceAccount, { prune: false })
      .owns(StatefulSet, { prune: true })
      .owns(Service, { otherNamespaces: true })
      .reconcile(async ({ metadata: { name }, spec }, context) => {
        const key = `${name} ${spec.soil}`;
        const said = new Said();
        saidOf.set(name, said);
        try {
          return await play(name, scripts.get(key) ?? last, context, said);
        } catch (error) {
          said.failed = true;
          throw error;
        } finally {
          begun.add(key);
        }
      });
    await start(player, judged);

    let histories = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 6 }), async (passes) => {
        const garden = `g${histories++}`;
        for (const [index, one] of [...passes, last].entries()) {
          scripts.set(`${garden} p${index}`, one);
          await (index === 0 ? plant(garden, { soil: 'p0' }) : change(garden, { soil: `p${index}` }));
          await eventually(() => begun.has(`${garden} p${index}`));
        }
        await eventually(async () => expect(await leftOf(garden)).toEqual([`ConfigMap ${garden}-z`]));
        expect(unjustified).toEqual([]);
      }),
      { numRuns: 40 },
    );
    // Without deletions nothing was shown.
    expect(deleted.length).toBeGreaterThan(histories);
  }, 180_000);
});
