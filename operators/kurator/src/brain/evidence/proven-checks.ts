/**
 * Which checks are known to tell well from ill. A check that has never passed may be wrong itself: a typo in its path fails
 * on everybody for ever. So it is *unproven* until it has passed once on an instance that Kubernetes calls ready, and
 * again after each edit. What an unproven check says is told, and is never a reason to do anything.
 */
import { type Observation, theService } from '../observation.ts';
import type { Perception } from '../perception/perception.ts';
import type { CheckSpec, ServiceSpec } from '../spec.ts';

/** Whether this check has passed, as it is defined now. */
export type IsProven = (check: CheckSpec) => boolean;

/** What is remembered of it, as the history of a service keeps it among other things. */
interface Memory {
  /** The definition with which each has passed, by the check's name. Missing in a memory from before this was remembered. */
  readonly provenChecks?: Readonly<Record<string, string>>;
  readonly revisions: { readonly healthy: readonly unknown[] };
}

/** Reads it from what is remembered. */
export function provenIn({ provenChecks = {} }: Pick<Memory, 'provenChecks'>): IsProven {
  return ({ name, definition }) => provenChecks[name] === definition;
}

/**
 * Learns which checks have passed; the same history when that is nothing new. A memory from before this was remembered
 * counts for the present checks if a revision was proven by then: that took every check to pass, on every instance. So
 * whoever updates the operator in the middle of a fault does not find that nothing is proven any more.
 */
export function proveChecks<Known extends Memory>(
  { checks }: ServiceSpec,
  history: Known,
  perception: Perception,
  seen: Observation,
): Known {
  const { provenChecks, revisions } = history;
  const isInherited = provenChecks === undefined && revisions.healthy.length > 0;
  const isProven = provenIn(history);
  const fresh = checks.filter((check) => !isProven(check) && (isInherited || hasPassed(check, perception, seen)));
  if (fresh.length === 0) return provenChecks ? history : { ...history, provenChecks: {} };
  const names = new Set(checks.map(({ name }) => name));
  const kept = Object.entries(provenChecks ?? {}).filter(([name]) => names.has(name));
  const added = fresh.map(({ name, definition }) => [name, definition] as const);
  return { ...history, provenChecks: Object.fromEntries([...kept, ...added]) };
}

/** It passed on one that is ready; or, through the Service, while one was that it may have reached. */
function hasPassed({ name, definition, through }: CheckSpec, { targets }: Perception, seen: Observation): boolean {
  const passedAt = (target: string): boolean => {
    const track = targets[target]?.checks[name];
    return track?.definition === definition && track.healthyAsOf !== undefined;
  };
  return seen.instances.some(
    ({ uid, ready, terminating }) =>
      ready === true && !terminating && passedAt(through === 'service' ? theService : uid),
  );
}
