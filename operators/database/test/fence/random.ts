/** Histories drawn by lot: faults where they hurt most, what everybody does between them, and single steps in any order. */
import fc from 'fast-check';
import { firstRecord } from '../../src/brain/coordinator.ts';
import { DECISIONS, type Decisions } from './decisions.ts';
import type { CoordinatorEvent, MachineEvent, PairEvent } from './event.ts';
import { happen } from './events.ts';
import { round, STEPS, settle } from './history.ts';
import { API, COORDINATOR, World } from './world.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;

/** A history is drawn from its seed: the same one gives the same again, and a shorter one its beginning. */
export interface History {
  readonly seed: number;
  readonly turns: number;
}

export const history: fc.Arbitrary<History> = fc.record({
  seed: fc.integer({ min: 0, max: 0x7fffffff }),
  turns: fc.integer({ min: 20, max: 60 }),
});

/** Mulberry32. */
class Lot {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(n: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) % 1_000_003) % n;
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T;
  }

  some<T>(of: readonly T[]): T[] {
    return of.filter(() => this.below(2) === 0);
  }
}

const STEPS_OF_MACHINES: readonly MachineEvent[] = [
  ...(['read', 'act', 'act', 'half-act', 'renew', 'sync', 'open', 'deliver', 'deliver', 'gives-up'] as const),
  ...(['connect', 'stream', 'stream-one', 'hear', 'commit', 'write', 'write'] as const),
];
const FAULTS: readonly MachineEvent[] = [
  ...(['postgres-dies', 'brain-crashes', 'machine-crashes', 'brain-pauses', 'brain-pauses'] as const),
  ...(['postgres-freezes', 'machine-pauses', 'thaws', 'thaws', 'loses-volume'] as const),
];
const STEPS_OF_COORDINATOR: readonly CoordinatorEvent[] = [
  ...(['look', 'decide', 'decide', 'decide-impatient', 'told', 'coordinator-gives-up', 'coordinator-crashes'] as const),
];
const STEPS_OF_PAIRS: readonly PairEvent[] = ['ask', 'grant', 'grant', 'grant-unheard'];

/** What may come next, as often as it is named. */
const TURNS: readonly ((world: World, lot: Lot) => void)[] = [
  ...Array.from({ length: 6 }, () => rounds),
  ...Array.from({ length: 8 }, () => (world: World, lot: Lot) => {
    for (let i = lot.below(8); i >= 0; i--) happen(world, { is: lot.one(STEPS_OF_MACHINES), at: who(world, lot) });
  }),
  ...Array.from({ length: 3 }, () => (world: World, lot: Lot) => {
    happen(world, { is: lot.one(STEPS_OF_COORDINATOR) });
  }),
  ...Array.from({ length: 3 }, () => (world: World, lot: Lot) => {
    happen(world, { is: lot.one(STEPS_OF_PAIRS), at: who(world, lot), to: lot.one(world.setting.names) });
  }),
  ...Array.from({ length: 2 }, () => (world: World, lot: Lot) => {
    const epoch = world.asked.length > 0 ? lot.one(world.asked) : 0;
    happen(world, { is: 'freeze', at: who(world, lot), epoch });
  }),
  ...Array.from({ length: 4 }, () => (world: World, lot: Lot) => {
    happen(world, { is: lot.one(FAULTS), at: who(world, lot) });
  }),
  ...Array.from({ length: 2 }, () => (world: World) => happen(world, { is: 'tick', still: [] })),
  outage,
  outage,
  (world, lot) => {
    // Clocks that lie are rare: only without them does anybody judge what old primaries show.
    if (lot.below(3) === 0) standstill(world, lot);
  },
  (world, lot) =>
    happen(world, { is: 'cut', at: who(world, lot), to: lot.one([...world.setting.names, API, COORDINATOR]) }),
  (world) => happen(world, { is: 'heal' }),
  (world, lot) => happen(world, { is: lot.one(['api-down', 'api-up', 'late-write'] as const) }),
  (world, lot) => happen(world, { is: 'switch', to: lot.one([undefined, ...world.setting.names]) }),
  (world, lot) => {
    if (lot.below(6) === 0) happen(world, { is: 'tick', still: lot.some([...world.setting.names, COORDINATOR]) });
  },
];

/** The holder, as often as all others. */
const who = (world: World, lot: Lot): string =>
  lot.below(2) === 0 ? world.api.record.holder : lot.one(world.setting.names);

function rounds(world: World, lot: Lot): void {
  const without = lot.below(2) === 0 ? [] : [who(world, lot), ...(lot.below(4) === 0 ? [who(world, lot)] : [])];
  several(world, lot, without, lot.below(2) === 0 ? [] : undefined);
}

/** `still`: whose clocks stand still meanwhile; undefined: no time passes. */
function several(world: World, lot: Lot, without: readonly string[], still: readonly string[] | undefined): void {
  const how = { writes: lot.below(2) === 0, impatient: lot.below(3) === 0 };
  for (let i = lot.below(5); i >= 0; i--) {
    round(world, without, how);
    if (still) happen(world, { is: 'tick', still });
  }
}

/** A machine is cut off from the API server, or all are, for a while. */
function outage(world: World, lot: Lot): void {
  if (lot.below(2) === 0) happen(world, { is: 'api-down' });
  else happen(world, { is: 'cut', at: who(world, lot), to: API });
  several(world, lot, [], []);
  if (lot.below(2) === 0) happen(world, { is: lot.one(FAULTS), at: who(world, lot) });
  several(world, lot, [], []);
  happen(world, { is: 'heal' });
  happen(world, { is: 'api-up' });
}

/** A machine stands still, and goes on where it was; or its clock alone does. */
function standstill(world: World, lot: Lot): void {
  const at = who(world, lot);
  const isPaused = lot.below(2) === 0;
  if (isPaused) happen(world, { is: 'machine-pauses', at });
  several(world, lot, [at], [at]);
  several(world, lot, [at], [at]);
  if (isPaused) happen(world, { is: 'thaws', at });
  for (let i = 0; i < 2; i++) {
    for (const is of ['write', 'hear', 'commit'] as const) happen(world, { is, at });
    for (const standby of world.setting.names) happen(world, { is: 'stream', at: standby });
  }
  for (const is of ['hear', 'commit'] as const) happen(world, { is, at });
}

export function play({ seed, turns }: History, decisions: Decisions = DECISIONS): World {
  const lot = new Lot(seed);
  const names = NAMES.slice(0, lot.one([1, 2, 3, 3, 3, 4]));
  const durability = lot.one(['required', 'preferred'] as const);
  const synchronous = lot.one([1, 1, 2]);
  const world = new World({ names, times: STEPS, durability, synchronous }, decisions, firstRecord(NAMES[0]));
  for (let i = 0; i < 5; i++) round(world);
  for (let i = 0; i < turns && world.violations.length === 0; i++) lot.one(TURNS)(world, lot);
  return world;
}

/** Enough for several failovers, one after the other. */
export const recovers = (world: World): boolean => settle(world, 40);
