/** Histories that are told, not drawn: each shows what one promise is for. */
import type { Decisions } from './decisions.ts';
import type { MachineEvent } from './event.ts';
import { happen } from './events.ts';
import { formed, round, STEPS } from './history.ts';
import { API, type Setting, type World } from './world.ts';

const THREE: Setting = { names: ['a', 'b', 'c'], times: STEPS, durability: 'required', synchronous: 1 };

/** A cluster that was right until now: a leads, b and c acknowledge. */
function begun(decisions: Decisions, setting: Setting = THREE): World {
  const world = formed(setting).copy();
  return Object.assign(world, { decisions });
}

function all(world: World, at: readonly string[], steps: readonly MachineEvent[]): void {
  for (const name of at) for (const is of steps) happen(world, { is, at: name });
}

const tick = (world: World) => happen(world, { is: 'tick', still: [] });

function grants(world: World): void {
  for (const to of ['b', 'c']) {
    happen(world, { is: 'ask', at: 'a', to });
    happen(world, { is: 'grant', at: 'a', to });
  }
  happen(world, { is: 'act', at: 'a' });
}

/** The primary has lost the API server, and its standbys freeze while it still has its lease: then it asks them. */
export function asksTheFrozen(decisions: Decisions): World {
  const world = begun(decisions);
  happen(world, { is: 'cut', at: 'a', to: API });
  happen(world, { is: 'write', at: 'a' });
  for (const is of ['look', 'decide-impatient', 'told', 'decide'] as const) happen(world, { is });
  for (let i = 0; i < 3; i++) for (const at of ['b', 'c']) happen(world, { is: 'freeze', at, epoch: 2 });
  for (let i = 0; i < 3; i++) {
    grants(world);
    tick(world);
  }
  grants(world);
  for (let i = 0; i < 5; i++) round(world, ['a']);
  return world;
}

/** The primary has lost the API server, its standbys have let it run on, and start anew. */
export function asksWhoForgets(decisions: Decisions): World {
  const world = begun(decisions);
  happen(world, { is: 'cut', at: 'a', to: API });
  happen(world, { is: 'look' });
  tick(world);
  grants(world);
  tick(world);
  grants(world);
  tick(world);
  all(world, ['b', 'c'], ['brain-crashes']);
  for (let i = 0; i < 5; i++) round(world, ['a']);
  return world;
}

/** What one standby has acknowledged the other never got; then that other is the only one who is to acknowledge, and the rest goes. */
export function changesTheSet(decisions: Decisions): World {
  const world = begun(decisions, { ...THREE, durability: 'preferred' });
  happen(world, { is: 'cut', at: 'a', to: 'c' });
  happen(world, { is: 'write', at: 'a' });
  all(world, ['b'], ['stream']);
  all(world, ['a'], ['hear', 'commit']);
  happen(world, { is: 'brain-pauses', at: 'b' });
  for (let i = 0; i < 3; i++) round(world, ['b']);
  all(world, ['a', 'b'], ['machine-pauses']);
  for (let i = 0; i < 10; i++) {
    round(world, ['a', 'b']);
    tick(world);
  }
  return world;
}
