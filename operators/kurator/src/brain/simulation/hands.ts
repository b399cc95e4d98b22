/** How an action is carried out in the simulated cluster: once by its id, and only on the state it was decided upon. */
import type { History } from '../incident/history.ts';
import { type Action, type ActionOutcome, type ActionResult, unsettled } from '../incident/incident.ts';
import type { Referee } from './referee.ts';
import { remove, rollOut, type SimService, type World } from './world.ts';

/** Carries an action out; undefined when it is not wanted any more. */
export function carryOut(
  world: World,
  service: SimService,
  action: Action,
  history: History | undefined,
  { fails, referee }: { fails: boolean; referee: Referee },
): ActionOutcome | undefined {
  const isWanted = unsettled(history?.incident).some(({ id }) => id === action.id);
  if (!isWanted || !service.isThere) return undefined;
  const outcome = (result: ActionResult) => ({ action: action.id, result, at: world.now });
  if (service.applied.has(action.id)) return { ...outcome('done'), ...sparedBy(service, action) };
  if (service.generation !== action.expect.generation) return outcome('superseded');
  if (fails) return outcome('failed');
  if (service.evictable === 0 && action.kind === 'evict') return outcome('refused');
  const allowed = { ...action, targets: action.targets.slice(0, service.evictable) };
  referee.acts(world, service, allowed);
  service.applied.add(action.id);
  deeds[action.kind](world, service, allowed);
  return { ...outcome('done'), ...sparedBy(service, action) };
}

function sparedBy({ instances }: SimService, { targets }: Action): { spared?: string[] } {
  const isLive = (uid: string) => instances.some((one) => one.uid === uid && one.goneAt === undefined);
  const spared = targets.map(({ uid }) => uid).filter(isLive);
  return spared.length > 0 ? { spared } : {};
}

type Deed = (world: World, service: SimService, action: Action) => void;

const evict: Deed = (world, service, { targets, isForced = false }) => {
  for (const instance of service.instances) {
    if (!targets.some(({ uid }) => uid === instance.uid)) continue;
    remove(world, instance);
    instance.isForcedOut ||= isForced;
  }
};

const deeds: Record<Action['kind'], Deed> = {
  evict,
  roll: (_world, service) => rollOut(service),
  rollback: (world, service, action) => {
    service.revision = action.revision ?? service.revision;
    service.generation++;
    evict(world, service, action);
  },
  scale: (_world, service, { replicas }) => {
    service.desired = replicas ?? service.desired;
    service.generation++;
  },
};
