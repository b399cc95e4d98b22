import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Machine, seededRandom } from '../../test/support/lease-world.ts';
import { GroupServer, groupStoreOn } from '../../test/support/sharding-world.ts';
import type { ShardListener } from '../controller/shard-gate.ts';
import { shardOf } from './shard-of.ts';
import { type Sharding, shardingOn } from './sharding.ts';

/** The closest together that options may be: the least room for error. */
const timing = { leaseDuration: 10_000, renewDeadline: 9_000, retryPeriod: 2_000 };
const SHARDS = 6;
/** A key of each shard. */
const keys = Array.from({ length: SHARDS }, (_, shard) => {
  for (let i = 0; ; i++) if (shardOf(`k${i}`, SHARDS) === shard) return `k${i}`;
});

interface Player {
  readonly name: string;
  readonly machine: Machine;
  readonly sharding: Sharding;
  readonly stop: AbortController;
  /** Keys that are worked on at the moment, by its own account. */
  readonly working: Map<string, () => boolean>;
  dead: boolean;
  ended: boolean;
}

const happening = fc.record({
  after: fc.integer({ min: 0, max: 12_000 }),
  who: fc.nat(7),
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant('freeze' as const) },
    { weight: 4, arbitrary: fc.constant('thaw' as const) },
    { weight: 2, arbitrary: fc.constant('sleep' as const) },
    { weight: 2, arbitrary: fc.constant('stop' as const) },
    { weight: 2, arbitrary: fc.constant('kill' as const) },
    { weight: 4, arbitrary: fc.constant('join' as const) },
    { weight: 1, arbitrary: fc.constant('clock forward' as const) },
    { weight: 3, arbitrary: fc.constant('bad network' as const) },
    { weight: 3, arbitrary: fc.constant('good network' as const) },
    { weight: 1, arbitrary: fc.constant('delete the table' as const) },
    { weight: 1, arbitrary: fc.constant('delete a lease' as const) },
  ),
  amount: fc.nat(30_000),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

class World {
  readonly server: GroupServer;
  readonly players: Player[] = [];
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.server = new GroupServer(this.random);
  }

  join(): void {
    const { random, server } = this;
    const machine = new Machine(server.network.clock, 0.98 + random() * 0.04, (random() - 0.5) * 3_600_000);
    const name = `p${this.players.length}`;
    const options = {
      ...timing,
      name: 'group',
      namespace: 'ns',
      identity: name,
      shards: SHARDS,
      clock: machine,
      random,
    };
    const sharding = shardingOn(groupStoreOn(machine, server), { ...options, drainTimeout: '20s' });
    const stop = new AbortController();
    const player = { name, machine, sharding, stop, working: new Map(), dead: false, ended: false };
    this.players.push(player);
    sharding.subscribe(worker(player, random));
    const context = { stop: stop.signal, abort: new AbortController().signal };
    void sharding.run(context as never).then(() => {
      player.ended = true;
    });
  }

  get living(): Player[] {
    return this.players.filter(({ dead, ended }) => !dead && !ended);
  }

  make({ what, who, amount }: Happening): void {
    const { living, server } = this;
    const player = living[who % Math.max(1, living.length)];
    if (what === 'join' && living.length < 4) this.join();
    else if (what === 'bad network') server.network.conditions = { slowest: amount / 4, lossOneIn: amount % 6 };
    else if (what === 'good network') server.network.conditions = { slowest: 20, lossOneIn: 0 };
    else if (what === 'delete the table') server.deleteTable();
    else if (what === 'delete a lease')
      server.deleteMember(server.members[who % Math.max(1, server.members.length)] ?? '');
    else if (player) act(player, what, amount);
  }

  /** Lets time go by, and looks after every single thing that happens. */
  async pass(milliseconds: number): Promise<void> {
    const { clock } = this.server.network;
    const until = clock.now() + milliseconds;
    for (let next = clock.next; next !== undefined && next <= until; next = clock.next) {
      await clock.advance(Math.max(0, next - clock.now()));
      this.expectOneEach();
    }
    await clock.advance(until - clock.now());
  }

  // A frozen one too: it could thaw at this instant, and its next step be an act.
  expectOneEach(): void {
    for (const key of keys) {
      const through = this.living.filter(({ sharding }) => passes(sharding, key));
      expect(through.map(({ name }) => `${name} has ${key}`).slice(1)).toEqual([]);
      const atWork = this.living.filter(({ working }) => working.get(key)?.());
      expect(atWork.map(({ name }) => `${name} works on ${key}`).slice(1)).toEqual([]);
    }
  }

  async expectRecovery(): Promise<void> {
    this.server.network.conditions = { slowest: 20, lossOneIn: 0 };
    for (const { machine } of this.living) machine.thaw();
    if (this.living.every(({ stop }) => stop.signal.aborted)) this.join();
    await this.pass(60_000);
    const shares = this.living.map(({ sharding }) => sharding.state().shards);
    expect(shares.flat().sort()).toEqual(keys.map((_, shard) => shard));
    const sizes = shares.map(({ length }) => length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    // Nothing is left of those who are gone.
    expect(this.server.members).toHaveLength(this.living.length);
  }
}

function act(player: Player, what: Happening['what'], amount: number): void {
  const { machine, stop } = player;
  if (what === 'freeze') machine.freeze();
  if (what === 'sleep') machine.sleep();
  if (what === 'thaw') machine.thaw();
  if (what === 'stop') stop.abort(new Error('stopped'));
  if (what === 'clock forward') machine.setDateBy(amount);
  if (what === 'kill') {
    machine.freeze();
    player.dead = true;
  }
}

/** Works on each key that it gets, again and again, each time for a while; may act as long as the fence lets it. */
function worker({ machine, sharding, working }: Player, random: () => number): ShardListener {
  const waiting = new Set<() => void>();
  const begin = (key: string) => {
    const hold = sharding.hold(key);
    if (!hold || working.has(key)) return;
    // Whoever lost it is told to end, or finds out by itself; whoever hands it over must have ended before.
    working.set(key, () => !hold.signal.aborted && sharding.state().alive);
    machine.setTimeout(() => {
      working.delete(key);
      for (const look of waiting) look();
      machine.setTimeout(() => begin(key), random() * 2_000);
    }, random() * 4_000);
  };
  return {
    onGained(has) {
      for (const key of keys) if (has(key)) begin(key);
    },
    onDraining: (has) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (keys.some((key) => has(key) && working.has(key))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

function passes(sharding: Sharding, key: string): boolean {
  try {
    sharding.fence(key);
    return true;
  } catch {
    return false;
  }
}

// Thousands of errors are made only to be looked at for whether they were made.
const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});
const numRuns = Number(process.env.KURATOR_PROPERTY_RUNS ?? 25);

it(
  'never has two whose fence lets them through for the same key at the same instant, whatever happens',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(happening, { minLength: 5, maxLength: 40 }),
        fc.nat(),
        async (count, happenings, seed) => {
          const world = new World(seed);
          for (let i = 0; i < count; i++) world.join();
          for (const each of happenings) {
            await world.pass(each.after);
            world.make(each);
            world.expectOneEach();
          }
          await world.expectRecovery();
          for (const { stop } of world.players) stop.abort(new Error('the end'));
          await world.pass(5_000);
        },
      ),
      { numRuns },
    );
  },
  60_000 + numRuns * 5_000,
);
