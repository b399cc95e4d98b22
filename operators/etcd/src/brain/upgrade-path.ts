/**
 * Which version members are to run now, on the way to the one that is wanted. etcd is upgraded minor by minor and never goes back. The
 * API server refuses what can be refused there, but it compares specs: members may be behind the spec, and what they run decides.
 */

export interface UpgradePath {
  /** What pods are made with. */
  readonly version: string;
  /** Why that is not the version that is wanted, and what to do. */
  readonly held?: string;
}

/** From this version on 3.5 takes members off the list for good: those of earlier ones come back with 3.6 as members that nobody runs. */
const WITHOUT_ZOMBIES = 26;

/** @param running versions of pods that are there; of whatever ran last where there is none */
export function upgradePath(running: readonly string[], wanted: string): UpgradePath {
  const sorted = running.toSorted(compare);
  const [lowest] = sorted;
  const highest = sorted.at(-1);
  if (!lowest || !highest) return { version: wanted };
  if (minorOf(wanted) < minorOf(highest)) {
    const remedy = `set spec.version to ${seriesOf(highest)}, or restore a backup into a new cluster`;
    return { version: highest, held: `members run ${highest}, and etcd does not go back to ${wanted}: ${remedy}` };
  }
  const steps = minorOf(wanted) - minorOf(lowest);
  if (steps > 1) {
    // Half way there: the members that are behind come first.
    if (minorOf(highest) === minorOf(wanted) - 1 && highest !== lowest) return { version: highest };
    const next = `3.${minorOf(lowest) + 1}`;
    const first = isBeforeZombies(lowest) ? `3.5.${WITHOUT_ZOMBIES} or later, then to ${next}` : next;
    return {
      version: highest,
      held: `members run ${lowest}, and etcd is upgraded minor by minor: set spec.version to a version of ${first} first`,
    };
  }
  if (steps === 1 && minorOf(highest) === minorOf(lowest) && isBeforeZombies(lowest)) {
    const why = 'of which dead members would come back in the list of 3.6';
    return {
      version: highest,
      held: `members run ${lowest}, ${why}: set spec.version to 3.5.${WITHOUT_ZOMBIES} or later first`,
    };
  }
  return { version: wanted };
}

const partsOf = (version: string) => version.split('.').map(Number);
const minorOf = (version: string): number => partsOf(version)[1] ?? 0;
const patchOf = (version: string): number => partsOf(version)[2] ?? 0;
const seriesOf = (version: string) => `a version of 3.${minorOf(version)}`;
const compare = (a: string, b: string) => minorOf(a) - minorOf(b) || patchOf(a) - patchOf(b);
const isBeforeZombies = (version: string) => minorOf(version) === 5 && patchOf(version) < WITHOUT_ZOMBIES;
