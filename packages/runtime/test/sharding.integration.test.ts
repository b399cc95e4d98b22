// Replicas as processes of their own, killed and frozen, on a real API server.
import type { ChildProcess } from 'node:child_process';
import { type Client, ConfigMap, type KubernetesObject, Lease, type ResourceType } from '@kurator/client';
import { eventually, type TestScope, testScope } from '@kurator/testenv';
import { describe, expect, it } from 'vitest';
import { storedTable } from '../src/sharding/internal/group-store.ts';
import type { ShardTable } from '../src/sharding/internal/shard-table.ts';
import { shardOf } from '../src/sharding/shard-of.ts';
import { createSharding } from '../src/sharding/sharding.ts';
import { type Program, startProgram } from './support/program.ts';
import { groupName, sharded, timing } from './support/sharded-group.ts';

const patient = { timeout: '90s' };

/** @param diary Gets what happens to the replicas. */
const replicasIn =
  ({ namespace, signal }: TestScope, mode: 'mark' | 'work', diary: Program['lines'][] = []) =>
  (identity: string): ChildProcess => {
    const { child, lines } = startProgram('sharded-process', [namespace, identity, mode], signal);
    diary.push(lines);
    return child;
  };

async function createObjects({ client, namespace }: TestScope, count: number): Promise<void> {
  const labels = { sharded: 'yes' };
  const names = Array.from({ length: count }, (_, i) => `object-${i}`);
  const worker = async () => {
    for (let name = names.pop(); name; name = names.pop()) {
      await client.create(ConfigMap, { metadata: { name, namespace, labels } });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

const tableOf = async ({ client, namespace }: TestScope): Promise<ShardTable> =>
  storedTable(await client.get(Lease, { name: groupName, namespace })).table;

/** How many objects each replica says to have, by the beginning of its name; those of nobody under an empty one. */
async function shares({ client, namespace }: TestScope): Promise<Record<string, number>> {
  const { items } = await client.list(ConfigMap, { namespace, labelSelector: sharded });
  const counts: Record<string, number> = {};
  for (const { data } of items) {
    const who = data?.by?.replace(/-[0-9a-f]+$/, '') ?? '';
    counts[who] = (counts[who] ?? 0) + 1;
  }
  return counts;
}

/** Shards have not quite the same number of keys, nor replicas of shards. */
const about = (count: number) => expect.toSatisfy((found: number) => Math.abs(found - count) < count * 0.2);

describe('three replicas that share 3,000 objects', () => {
  it('have a third each, and those of one that is killed go to the others', {
    timeout: 300_000,
  }, async ({ annotate }) => {
    await using test = await testScope('shards');
    await createObjects(test, 3_000);
    const start = replicasIn(test, 'mark');
    const [first] = ['a', 'b', 'c'].map(start);
    const third = about(1_000);
    await eventually(async () => expect(await shares(test)).toEqual({ a: third, b: third, c: third }), patient);

    first?.kill('SIGKILL');
    const killedAt = performance.now();
    await eventually(async () => expect((await tableOf(test)).members).toHaveLength(2), patient);
    const takenOverAfter = performance.now() - killedAt;
    await annotate(`a lease of ${timing.leaseDuration} ms, taken over after ${Math.round(takenOverAfter)} ms`);
    const half = about(1_500);
    await eventually(async () => expect(await shares(test)).toEqual({ b: half, c: half }), patient);
  });
});

interface Act {
  readonly at: number;
  readonly version: bigint;
  readonly what: { readonly table: ShardTable } | { readonly key: string; readonly data: Record<string, string> };
}

describe('replicas that come, go, die and freeze', () => {
  it('never work on the same object at once', { timeout: 300_000 }, async () => {
    await using test = await testScope('shards');
    await createObjects(test, 60);
    const acts: Act[] = [];
    test.run((signal) => record(test, acts, signal));
    const diary: Program['lines'][] = [];
    const start = replicasIn(test, 'work', diary);
    const [a, b] = [start('a'), start('b')];
    await settledOn(test, ['a', 'b']);

    for (let round = 0; round < 2; round++) {
      b.kill('SIGSTOP');
      await settledOn(test, ['a']);
      b.kill('SIGCONT');
      await settledOn(test, ['a', 'b']);
    }
    const c = start('c');
    await settledOn(test, ['a', 'b', 'c']);
    a.kill('SIGKILL');
    await settledOn(test, ['b', 'c']);
    c.kill('SIGTERM');
    await settledOn(test, ['b']);
    await test.end();
    expectOwnersOnly(acts, diary.flat());
  });
});

/**
 * Waits until exactly these are members, have their share, and have worked on everything since. So whatever a frozen one
 * was about to send is based on a version that is no more: what lies between the fence and the send is not this test's.
 */
async function settledOn({ client, namespace }: TestScope, identities: readonly string[]): Promise<void> {
  const since = await eventually(async () => {
    const lease = await client.get(Lease, { name: groupName, namespace });
    const { members, owners } = storedTable(lease).table;
    expect(members.map((member) => member.replace(/-[0-9a-f]+$/, ''))).toEqual(identities);
    const counts = members.map((member) => owners.filter((owner) => owner === member).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    return versionOf(lease);
  }, patient);
  await eventually(async () => {
    const { items } = await client.list(ConfigMap, { namespace, labelSelector: sharded });
    expect(items.filter((item) => versionOf(item) <= since)).toEqual([]);
  }, patient);
}

/** Everything that happens to the table and to the objects, with the version that etcd gave it. */
async function record({ client, namespace }: TestScope, acts: Act[], signal: AbortSignal): Promise<void> {
  await Promise.all([
    follow(client, Lease, { namespace, fieldSelector: `metadata.name=${groupName}`, signal }, (lease) => {
      acts.push({ at: Date.now(), version: versionOf(lease), what: { table: storedTable(lease).table } });
    }),
    follow(client, ConfigMap, { namespace, labelSelector: sharded, signal }, (map) => {
      const key = `${namespace}/${map.metadata.name}`;
      if (map.data?.by) acts.push({ at: Date.now(), version: versionOf(map), what: { key, data: map.data } });
    }),
  ]);
}

async function follow<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  options: Parameters<Client['watch']>[1] & { signal: AbortSignal },
  note: (object: T) => void,
): Promise<void> {
  try {
    for await (const event of client.watch(type, { ...options, timeoutSeconds: 600 })) {
      if (event.type !== 'BOOKMARK') note(event.object);
    }
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
}

// Versions of all objects of one server are one sequence: etcd's.
function versionOf({ metadata }: { metadata: { resourceVersion?: string } }): bigint {
  return BigInt(metadata.resourceVersion ?? '0');
}

/** Each write was its owner's, by the table as it was then; and no work was interrupted by another's. */
function expectOwnersOnly(acts: Act[], diary: readonly Record<string, unknown>[]): void {
  acts.sort((a, b) => Number(a.version - b.version));
  let table: ShardTable | undefined;
  const underway = new Map<string, string>();
  const wrong: string[] = [];
  let finished = 0;
  for (const { at, version, what } of acts) {
    if ('table' in what) {
      table = what.table;
      continue;
    }
    const { key, data } = what;
    const owner = table?.owners[shardOf(key, table.owners.length)];
    if (data.by !== owner)
      wrong.push(
        `${data.by} wrote ${key} (${data.phase}) at ${at} v${version} after ${table?.version}, which was ${owner}'s`,
      );
    if (data.phase === 'begin') underway.set(key, data.run ?? '');
    else if (underway.get(key) === data.run) finished++;
    else wrong.push(`${data.by} ended work on ${key} that another had begun since`);
  }
  const story = diary.toSorted((a, b) => Number(a.at) - Number(b.at)).map((line) => JSON.stringify(line));
  expect(wrong, wrong.length > 0 ? story.join('\n') : '').toEqual([]);
  expect(finished).toBeGreaterThan(100);
}

describe('a group on a real API server', () => {
  it('is one Lease for the table and one for each member, all of which are gone or empty at the end', async () => {
    await using test = await testScope('shards');
    const { client, namespace } = test;
    const stop = new AbortController();
    const abort = new AbortController();
    const replicas = ['one', 'two'].map((identity) =>
      createSharding({ client, name: 'group', namespace, identity, ...timing }),
    );
    const running = replicas.map((sharding) => sharding.run({ stop: stop.signal, abort: abort.signal } as never));
    await eventually(() => expect(replicas.map((each) => each.state().shards.length)).toEqual([32, 32]));
    const { items } = await client.list(Lease, { namespace });
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(
      ['group', ...replicas.map((each) => `group.${each.state().member}`)].sort(),
    );
    expect(items.every(({ metadata }) => metadata.labels?.['kurator.dev/sharding'] === 'group')).toBe(true);
    stop.abort();
    await Promise.all(running);
    const left = await client.list(Lease, { namespace });
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['group']);
    expect(storedTable(left.items[0] as Lease).table).toMatchObject({ members: [] });
  });

  it('does not take a Lease for a table that is none', async () => {
    await using test = await testScope('shards');
    const { client, namespace } = test;
    await client.create(Lease, { metadata: { name: 'taken', namespace }, spec: { holderIdentity: 'somebody' } });
    const troubles: unknown[] = [];
    const sharding = createSharding({
      client,
      name: 'taken',
      namespace,
      ...timing,
      report: (event) => event.type === 'trouble' && troubles.push(event.error),
    });
    test.run((signal) => sharding.run({ stop: signal, abort: signal } as never));
    await eventually(() =>
      expect(troubles).toContainEqual(expect.objectContaining({ code: 'KUR_RUNTIME_BAD_SHARD_TABLE' })),
    );
    expect((await client.get(Lease, { name: 'taken', namespace })).spec).toEqual({ holderIdentity: 'somebody' });
  });
});
