/** What happened to instances since they were last seen: a reason to look at once. */
import type { InstanceObservation, Observation } from '../brain/observation.ts';

/** The uids of instances that something has happened to, new ones among them. */
export function happenedTo(before: Observation | undefined, now: Observation): Set<string> {
  const known = new Map(before?.instances.map((instance) => [instance.uid, signatureOf(instance, before)]));
  const changed = now.instances.filter((instance) => known.get(instance.uid) !== signatureOf(instance, now));
  return new Set(changed.map(({ uid }) => uid));
}

function signatureOf({ ready, terminating, containers, node }: InstanceObservation, { nodes }: Observation): string {
  const states = containers.map(({ state, waiting, restarts }) => [state, waiting, restarts]);
  return JSON.stringify([ready, terminating, states, nodes.find(({ name }) => name === node)?.ready]);
}
