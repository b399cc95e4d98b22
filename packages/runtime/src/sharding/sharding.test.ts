import { type Client, ConfigMap } from '@kurator/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Machine, seededRandom } from '../../test/support/lease-world.ts';
import { GroupServer, groupStoreOn } from '../../test/support/sharding-world.ts';
import type { ShardListener } from '../controller/shard-gate.ts';
import { shardOf } from './shard-of.ts';
import { createSharding, type Sharding, type ShardingOptions, shardingOn } from './sharding.ts';
import type { ShardingEvent } from './sharding-event.ts';

interface Participant {
  readonly sharding: Sharding;
  readonly machine: Machine;
  readonly events: ShardingEvent[];
  stop(): void;
  abort(): void;
  readonly ended: Promise<void>;
}

type Options = Partial<Omit<ShardingOptions, 'client'>>;

function world() {
  const random = seededRandom(11);
  const server = new GroupServer(random);
  const { clock } = server.network;
  const participant = (name: string, options: Options = {}): Participant => {
    const machine = new Machine(clock, 1, 0);
    const events: ShardingEvent[] = [];
    const report = (event: ShardingEvent) => event.type !== 'renewed' && events.push(event);
    const common = { name: 'group', namespace: 'ns', identity: name, shards: 12, clock: machine, random, report };
    const sharding = shardingOn(groupStoreOn(machine, server), { ...common, ...options });
    const [stop, abort] = [new AbortController(), new AbortController()];
    const ended = sharding.run({ stop: stop.signal, abort: abort.signal } as never);
    onTestFinished(() => abort.abort());
    onTestFinished(() => stop.abort(new Error('the test is over')));
    return { sharding, machine, events, stop: () => stop.abort(new Error('stop')), abort: () => abort.abort(), ended };
  };
  const pass = (seconds: number) => clock.advance(seconds * 1000);
  return { server, participant, pass };
}

const shards = ({ sharding }: Participant) => sharding.state().shards;
const sizes = (...all: Participant[]) => all.map((each) => shards(each).length);
const everything = Array.from({ length: 12 }, (_, shard) => shard);
const keyOfShard = (shard: number) => {
  for (let i = 0; ; i++) if (shardOf(`k${i}`, 12) === shard) return `k${i}`;
};
const typesOf = ({ events }: Participant) => events.map(({ type }) => type);

async function three() {
  const { server, participant, pass } = world();
  const a = participant('a');
  await pass(1);
  const [b, c] = [participant('b'), participant('c')];
  await pass(10);
  return { server, participant, pass, a, b, c };
}

const cutOff = { slowest: 20, lossOneIn: 1 };
const fine = { slowest: 20, lossOneIn: 0 };

describe('sharing', () => {
  it('gives all to one that is alone, at once', async () => {
    const { participant, pass, server } = world();
    const a = participant('a');
    await pass(0.5);
    expect(shards(a)).toEqual(everything);
    expect(a.sharding.state()).toMatchObject({
      group: 'ns/group',
      alive: true,
      members: [a.sharding.state().member],
      count: 12,
    });
    expect(a.events).toEqual([{ type: 'gained', shards: everything }]);
    expect(server.table?.table.owners.every((owner) => owner?.startsWith('a-'))).toBe(true);
    await a.sharding.ready?.(new AbortController().signal);
  });

  it('gives each of three a third, within moments of their coming', async () => {
    const { a, b, c } = await three();
    expect(sizes(a, b, c)).toEqual([4, 4, 4]);
    expect([...shards(a), ...shards(b), ...shards(c)].sort((x, y) => x - y)).toEqual(everything);
  });

  it('needs no write of the table, and one renewal each, while nothing happens', async () => {
    const { server, pass } = await three();
    const [tableWrites, leaseWrites] = [server.tableWrites, server.leaseWrites];
    await pass(60);
    expect(server.tableWrites).toBe(tableWrites);
    expect(server.leaseWrites - leaseWrites).toBeLessThanOrEqual(3 * 31);
  });

  it('moves a shard by one write of its owner, when three become three from one', async () => {
    const { server } = await three();
    // Each joins, and one hands over to each as soon as it is seen.
    expect(server.tableWrites).toBeLessThanOrEqual(8);
  });

  it('is handed over at once by one that goes', async () => {
    const { server, pass, a, b, c } = await three();
    b.stop();
    await pass(1);
    await b.ended;
    expect(sizes(a, b, c)).toEqual([6, 0, 6]);
    expect(server.members).toHaveLength(2);
    expect(server.table?.table.members).toHaveLength(2);
  });

  it('goes on without one that died, within one lease', async () => {
    const { server, pass, a, b, c } = await three();
    b.machine.freeze();
    await pass(12);
    expect(sizes(a, c)).toEqual([4, 4]);
    await pass(3.5);
    expect(sizes(a, c)).toEqual([6, 6]);
    expect([...typesOf(a), ...typesOf(c)]).toContain('removed');
    await pass(3);
    // Nothing is left of it.
    expect(server.members).toHaveLength(2);
  });

  it('is fenced for one that was frozen, which comes back under another name', async () => {
    const { pass, a, b, c } = await three();
    const [shard = 0] = shards(b);
    const before = b.sharding.state().member;
    const hold = b.sharding.hold(keyOfShard(shard));
    expect(hold?.fence()).toBeUndefined();
    b.machine.freeze();
    await pass(11);
    expect(() => hold?.fence()).toThrow('not surely a member');
    await pass(30);
    b.machine.thaw();
    expect(b.sharding.owns(keyOfShard(shard))).toBe(false);
    expect(hold?.signal.aborted).toBe(true);
    await pass(10);
    expect(sizes(a, b, c)).toEqual([4, 4, 4]);
    expect(b.sharding.state().member).not.toBe(before);
    // An old right doesn't come alive again, even if the shard is back.
    expect(() => hold?.fence()).toThrow();
  });

  it('is resumed by all after an outage, with nothing moved', async () => {
    const { server, pass, a, b, c } = await three();
    const before = [a, b, c].map((each) => ({ member: each.sharding.state().member, shards: shards(each) }));
    const writes = server.tableWrites;
    server.network.conditions = cutOff;
    await pass(13);
    expect(sizes(a, b, c)).toEqual([0, 0, 0]);
    expect(a.sharding.readiness?.(new AbortController().signal)).toEqual(expect.any(String));
    server.network.conditions = fine;
    await pass(8);
    const after = [a, b, c].map((each) => ({ member: each.sharding.state().member, shards: shards(each) }));
    expect(after).toEqual(before);
    expect(server.tableWrites).toBe(writes);
    expect(a.sharding.readiness?.(new AbortController().signal)).toBeUndefined();
  });

  it('rests until nobody can be at work any more when the table is deleted, then begins anew', async () => {
    const { server, pass, a, b, c } = await three();
    server.deleteTable();
    await pass(2.5);
    expect(sizes(a, b, c)).toEqual([0, 0, 0]);
    await pass(10);
    expect(sizes(a, b, c)).toEqual([0, 0, 0]);
    await pass(15);
    expect(sizes(a, b, c)).toEqual([4, 4, 4]);
  });

  it('survives the deletion of a member’s Lease', async () => {
    const { server, pass, a, b, c } = await three();
    const before = [a, b, c].map(shards);
    server.deleteMember(b.sharding.state().member);
    await pass(60);
    expect([a, b, c].map(shards)).toEqual(before);
  });

  it('takes the number of shards from those who were first, and another only when all are gone', async () => {
    const { participant, pass, server } = world();
    const a = participant('a');
    await pass(1);
    const b = participant('b', { shards: 100 });
    await pass(5);
    expect(b.sharding.state().count).toBe(12);
    a.stop();
    await pass(2);
    b.stop();
    await pass(2);
    expect(server.table?.table).toMatchObject({ members: [] });
    const c = participant('c', { shards: 5 });
    await pass(2);
    expect(shards(c)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('a shard that is handed over', () => {
  /** A listener that holds on to what it has until it is told otherwise. */
  const busy = (): ShardListener & { finish(): void; aborted: number; gained: number } => {
    const work = Promise.withResolvers<void>();
    const self = {
      aborted: 0,
      gained: 0,
      finish: work.resolve,
      onGained: () => void self.gained++,
      async onDraining(_: unknown, abort: AbortSignal) {
        abort.addEventListener('abort', () => self.aborted++);
        await work.promise;
      },
    };
    return self;
  };

  it('is not the other’s before the work on it has ended', async () => {
    const { participant, pass } = world();
    const a = participant('a');
    const listener = busy();
    await pass(1);
    a.sharding.subscribe(listener);
    expect(listener.gained).toBe(1);
    const b = participant('b');
    await pass(10);
    expect(sizes(a, b)).toEqual([6, 0]);
    const [shard = 0] = a.sharding.state().draining;
    // What is under way may still act, but nothing new is begun.
    expect(a.sharding.owns(keyOfShard(shard))).toBe(false);
    expect(() => a.sharding.fence(keyOfShard(shard))).not.toThrow();
    listener.finish();
    await pass(1);
    expect(sizes(a, b)).toEqual([6, 6]);
    expect(() => a.sharding.fence(keyOfShard(shard))).toThrow('another replica');
    expect(listener.aborted).toBe(0);
  });

  it('is kept, and said to be stuck, while the work on it ignores that it should break off', async () => {
    const { participant, pass } = world();
    const a = participant('a', { drainTimeout: '10s' });
    const listener = busy();
    await pass(1);
    a.sharding.subscribe(listener);
    const b = participant('b');
    await pass(14);
    expect(listener.aborted).toBe(6);
    expect(sizes(a, b)).toEqual([6, 0]);
    await pass(3);
    // The other keys of these shards must not wait for ever.
    expect(sizes(a, b)).toEqual([12, 0]);
    expect(typesOf(a).filter((type) => type === 'stuck')).toHaveLength(6);
    listener.finish();
    await pass(15);
    expect(sizes(a, b)).toEqual([6, 6]);
  });

  it('is left to run out with its member, if that has to go while the work on it goes on', async () => {
    const { participant, pass, server } = world();
    const a = participant('a');
    const [stubborn, b] = [busy(), participant('b')];
    await pass(5);
    a.sharding.subscribe(stubborn);
    a.stop();
    await pass(5);
    expect(server.table?.table.members).toHaveLength(2);
    a.abort();
    await pass(1);
    await a.ended;
    expect(sizes(b)).toEqual([6]);
    await pass(20);
    expect(sizes(b)).toEqual([12]);
  });

  it('is nobody’s as long as it isn’t known whether it was handed over', async () => {
    const { participant, pass, server } = world();
    const a = participant('a');
    await pass(1);
    const put = server.putTable.bind(server);
    let lose = true;
    server.putTable = (table, before) => {
      // The write that hands over is done, but nobody hears of it.
      if (lose && new Set(table.owners).size > 1) {
        lose = false;
        server.network.conditions = cutOff;
      }
      return put(table, before);
    };
    const b = participant('b');
    for (let i = 0; i < 40 && lose; i++) await pass(0.1);
    expect(lose).toBe(false);
    await pass(5.5);
    expect(a.sharding.state().draining).toHaveLength(6);
    for (const shard of a.sharding.state().draining) expect(() => a.sharding.fence(keyOfShard(shard))).toThrow();
    server.network.conditions = fine;
    await pass(10);
    expect(sizes(a, b)).toEqual([6, 6]);
  });
});

describe('a client that is fenced by what it works on', () => {
  it('refuses to write once the shard is lost, lets reads through, and minds nothing else', async () => {
    const { participant, pass, server } = world();
    const a = participant('a');
    await pass(1);
    const did: string[] = [];
    const note =
      (what: string) =>
      async (...args: unknown[]) => {
        const { timeout } = (args.at(-1) ?? {}) as { timeout?: number };
        did.push(
          timeout === undefined
            ? what
            : `${what} within ${timeout > 7_000 && timeout <= 10_000 ? 'its time' : timeout}`,
        );
      };
    const names = ['get', 'create', 'replace', 'apply', 'patch', 'delete', 'deleteCollection', 'raw', 'exec', 'attach'];
    const bare = Object.fromEntries(names.map((name) => [name, note(name)])) as unknown as Client;
    const client = a.sharding.client(bare);
    const web = { name: 'x', namespace: 'y' };
    const writes: (() => Promise<unknown>)[] = [
      () => client.create(ConfigMap, { metadata: web }),
      () => client.replace(ConfigMap, { metadata: web }, {}),
      () => client.apply(ConfigMap, { metadata: web }, { fieldManager: 'me' }),
      () => client.patch(ConfigMap, web, {}, { timeout: 50 }),
      () => client.delete(ConfigMap, web),
      () => client.deleteCollection(ConfigMap, { namespace: 'y' }),
      () => client.raw('POST', '/x'),
      () => client.exec(web, ['true']),
      () => client.attach(web),
    ];
    await a.sharding.hold('k')?.run(async () => {
      for (const write of writes) await write();
      expect(did).toEqual([
        'create within its time',
        'replace within its time',
        'apply within its time',
        'patch within 50',
        'delete within its time',
        'deleteCollection within its time',
        'raw within its time',
        'exec within its time',
        'attach within its time',
      ]);
      did.length = 0;
      server.network.conditions = cutOff;
      await pass(12);
      await client.get(ConfigMap, web);
      await client.raw('GET', '/x');
      for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'KUR_RUNTIME_NOT_OWNER' });
    });
    await client.create(ConfigMap, { metadata: web });
    expect(did).toEqual(['get', 'raw', 'create']);
  });
});

describe('options of sharding', () => {
  const client = { config: { server: 'http://127.0.0.1:1' } } as Client;
  it.each([
    [{ name: 'My App' }, 'name is "My App"'],
    [{ name: 'x'.repeat(64) }, 'name is'],
    [{ namespace: '' }, 'namespace is missing'],
    [{ shards: 0 }, 'shards is 0'],
    [{ shards: 2000 }, 'shards is 2000'],
    [{ leaseDuration: '500ms' }, 'sharding: leaseDuration is 500ms'],
    [{ drainTimeout: 'soon' }, 'sharding: drainTimeout'],
  ])('are refused: %o', (wrong, why) => {
    expect(() => createSharding({ client, name: 'group', namespace: 'ns', ...wrong })).toThrow(why);
  });
});
