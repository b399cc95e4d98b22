/** Histories of a simulated cluster: as it is once all goes well, and played at random. */
import { firstRecord } from '../../src/brain/coordinator.ts';
import type { Times } from '../../src/brain/times.ts';
import { DECISIONS, type Decisions } from './decisions.ts';
import type { MachineEvent } from './event.ts';
import { happen } from './events.ts';
import { type Setting, World } from './world.ts';

/** In steps of a simulated clock. */
export const STEPS: Times = { renew: 1, run: 2, wait: 3, probe: 1, start: 4, yield: 2 };

/**
 * Everybody does what is to be done, in turns, and clients write wherever they are let in; but the brains of those who are named do
 * nothing, while their postgres goes on. No time passes.
 */
export function round(world: World, without: readonly string[] = [], { writes = false, impatient = false } = {}): void {
  const all = [...world.machines.keys()];
  const names = all.filter((name) => !without.includes(name));
  const each = (of: readonly string[], steps: readonly MachineEvent[]) => {
    for (const at of of) for (const is of steps) happen(world, { is, at });
  };
  if (writes) each(all, ['write']);
  for (let i = 0; i < 2; i++) {
    for (const at of names) think(world, at);
    each(names, ['connect', 'stream']);
    each(all, ['hear', 'commit']);
    const decide = impatient ? 'decide-impatient' : 'decide';
    for (const is of ['look', decide, 'told'] as const) happen(world, { is });
    const epoch = world.asked.at(-1);
    if (epoch !== undefined) freezeAll(world, names, epoch);
  }
}

function freezeAll(world: World, names: readonly string[], epoch: number): void {
  for (const at of names) for (let step = 0; step < 3; step++) happen(world, { is: 'freeze', at, epoch });
}

const THINKING = [
  'read',
  'act',
  'deliver',
  'act',
  'sync',
  'deliver',
  'sync',
  'renew',
  'deliver',
  'act',
  'open',
] as const;

/** A brain does all that is to be done just now. */
export function think(world: World, at: string): void {
  for (const is of THINKING) happen(world, { is, at });
  if (world.reachesApi(at)) return;
  for (const to of world.machines.keys()) {
    happen(world, { is: 'ask', at, to });
    happen(world, { is: 'grant', at, to });
  }
  happen(world, { is: 'act', at });
}

/** Whatever was broken is mended, but for what `keeps` says, and time passes. Says whether a write is acknowledged at the end of it. */
export function settle(world: World, rounds: number, mends: (world: World) => void = mendAll): boolean {
  for (let i = 0; i < rounds; i++) {
    mends(world);
    round(world);
    happen(world, { is: 'tick', still: [] });
    if (world.violations.length > 0) return false;
  }
  for (const { name } of world.machines.values()) happen(world, { is: 'write', at: name });
  const { written } = world;
  for (let i = 0; i < 3; i++) round(world);
  return world.shown.includes(written);
}

function mendAll(world: World): void {
  happen(world, { is: 'heal' });
  happen(world, { is: 'api-up' });
  for (const { name } of world.machines.values()) happen(world, { is: 'thaws', at: name });
}

/** A cluster whose first instance serves. */
export function formed(setting: Setting, decisions: Decisions = DECISIONS): World {
  const [first = ''] = setting.names;
  const world = new World(setting, decisions, firstRecord(first));
  if (!settle(world, 20)) throw new Error(`it does not form: ${world.violations}`);
  return world;
}
