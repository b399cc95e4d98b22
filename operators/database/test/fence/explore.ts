/**
 * Every order in which a small cluster can come through so many faults, writes and moments, breadth first. Brains do all that is to be done
 * at once, and what they send arrives or does not: what is under way between, the histories that are drawn by lot look at.
 */
import { DECISIONS, type Decisions } from './decisions.ts';
import type { MachineEvent } from './event.ts';
import { happen } from './events.ts';
import { formed, think } from './history.ts';
import type { Machine } from './machine.ts';
import { API, type Setting, type World } from './world.ts';

/** How much of each may happen. */
export interface Budget {
  readonly ticks: number;
  readonly writes: number;
  readonly faults: number;
  /** Moments in which somebody's clock stands still. */
  readonly lies: number;
}

interface State {
  readonly world: World;
  readonly left: Budget;
}

const FAULTS: readonly MachineEvent[] = [
  'brain-pauses',
  'postgres-dies',
  'machine-crashes',
  'machine-pauses',
  'brain-crashes',
];

export interface Exploration {
  readonly states: number;
  readonly epochs: number;
  readonly violations: readonly string[];
  /** There was nothing left to look at. */
  readonly isWhole: boolean;
}

/** `most`: states at which it gives up. */
export function explore(
  setting: Setting,
  budget: Budget,
  decisions: Decisions = DECISIONS,
  most = 5_000_000,
): Exploration {
  const start = { world: Object.assign(formed(setting).copy(), { decisions }), left: budget };
  const seen = new Set([keyOf(start)]);
  let epochs = 1;
  let level: State[] = [start];
  while (level.length > 0 && seen.size <= most) {
    const next: State[] = [];
    for (const successor of level.flatMap((state) => [...successors(state)])) {
      const { world } = successor;
      if (world.violations.length > 0)
        return { states: seen.size, epochs, violations: world.violations, isWhole: false };
      const key = keyOf(successor);
      if (seen.has(key)) continue;
      seen.add(key);
      epochs = Math.max(epochs, world.api.record.epoch);
      next.push(successor);
    }
    level = next;
  }
  return { states: seen.size, epochs, violations: [], isWhole: level.length === 0 };
}

function* successors({ world, left }: State): Generator<State> {
  const after = (change: (copy: World) => void, used: Partial<Budget> = {}): State => {
    const copy = world.copy();
    change(copy);
    return { world: copy, left: { ...left, ...used } };
  };
  const names = world.setting.names;
  yield after((copy) => {
    for (const is of ['look', 'decide', 'told'] as const) happen(copy, { is });
  });
  for (const at of names) {
    yield after((copy) => think(copy, at));
    yield after((copy) => {
      for (const is of ['connect', 'stream'] as const) happen(copy, { is, at });
    });
    yield after((copy) => {
      for (const is of ['hear', 'commit'] as const) happen(copy, { is, at });
    });
    const epoch = world.asked.at(-1);
    if (epoch !== undefined) {
      yield after((copy) => {
        for (let i = 0; i < 3; i++) happen(copy, { is: 'freeze', at, epoch });
      });
    }
    if (left.writes > 0) yield after((copy) => happen(copy, { is: 'write', at }), { writes: left.writes - 1 });
    if (left.lies > 0) yield after((copy) => happen(copy, { is: 'tick', still: [at] }), { lies: left.lies - 1 });
    if (world.machine(at).isPaused) yield after((copy) => happen(copy, { is: 'thaws', at }));
    if (left.faults > 0) {
      for (const is of FAULTS) yield after((copy) => happen(copy, { is, at }), { faults: left.faults - 1 });
      yield after((copy) => happen(copy, { is: 'cut', at, to: API }), { faults: left.faults - 1 });
    }
  }
  if (left.ticks > 0) yield after((copy) => happen(copy, { is: 'tick', still: [] }), { ticks: left.ticks - 1 });
}

/** What tells one state from another: times as far as they matter yet, names of entries by their order, renewals by how many came after. */
function keyOf({ world, left }: State): string {
  const { api, coordinator, asked, cuts, isLied, setting, shown } = world;
  const { wait, run } = setting.times;
  const ids = new Map<number, number>();
  const logOf = (log: readonly number[]) =>
    log.map((entry) => {
      if (!ids.has(entry)) ids.set(entry, ids.size);
      return ids.get(entry);
    });
  // Whoever writes must know whether he has read the last; others don't care.
  const recordOf = (read: Machine['read'], writes: boolean) =>
    read && [{ ...read.record, renewal: 0 }, writes && read.version === api.version];
  const machineOf = (machine: Machine) => {
    const { clock, memory, postgres, guardUntil, name, log, read, write, asks, ...rest } = machine;
    const ago = (at: number | undefined) => at && Math.max(at - clock, -wait - run);
    const sessions = { ...postgres, session: 0, from: world.primaryOf(machine)?.name ?? postgres.from === undefined };
    return [
      { ...rest, log: logOf(log), read: recordOf(read, read?.record.holder === name) },
      { ...sessions, probedAt: ago(postgres.probedAt), startingSince: ago(postgres.startingSince) },
      postgres.is === 'primary' ? Math.max(guardUntil - clock, 0) : 0,
      [memory.lease?.epoch, ago(memory.lease?.sentAt), memory.asked, ago(memory.releasedAt)],
      Math.max((memory.grantedUntil ?? clock) - clock, 0),
      [...memory.grants].map(([by, { epoch, sentAt }]) => [by, epoch, ago(sentAt)]),
      write !== undefined,
      Object.keys(asks),
    ];
  };
  return JSON.stringify([
    [...world.machines.values()].map(machineOf),
    { ...api.record, renewal: 0 },
    recordOf(coordinator.read, true),
    coordinator.sighting && [
      coordinator.sighting.renewal === api.record.renewal,
      Math.max(coordinator.sighting.since - coordinator.clock, -wait),
    ],
    coordinator.answers.map((answer) => ({ ...answer })),
    [asked, [...cuts], isLied, logOf(shown), left],
  ]);
}
