/** What happened to instances since they were last seen: a reason to look at once. */
import type { InstanceObservation, Observation } from '../brain/observation.ts';

/** The uids of instances that something has happened to, new ones among them; all of them when a rollout has ended. */
export function happenedTo(before: Observation | undefined, now: Observation): Set<string> {
  const known = new Map(before?.instances.map((instance) => [instance.uid, signatureOf(instance, before)]));
  const isRolledOut = before?.workload.rollout === 'progressing' && now.workload.rollout !== 'progressing';
  const changed = now.instances.filter((one) => isRolledOut || known.get(one.uid) !== signatureOf(one, now));
  return new Set(changed.map(({ uid }) => uid));
}

function signatureOf({ ready, terminating, containers, node }: InstanceObservation, { nodes }: Observation): string {
  const states = containers.map(({ state, waiting, restarts }) => [state, waiting, restarts]);
  const on = nodes.find(({ name }) => name === node);
  return JSON.stringify([ready, terminating, states, on?.ready, on?.gone, on?.complaints]);
}
