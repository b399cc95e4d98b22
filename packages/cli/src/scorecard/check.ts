/** What is looked at, line by line: a check is a name and a function. */

import { type CapabilityLevel, capabilityLevels } from '../olm/cluster-service-version.ts';
import type { Live } from './live.ts';
import type { Outcome } from './outcome.ts';
import type { Subject } from './subject.ts';

/** The capability levels of operators, by number. */
export type Level = 1 | 2 | 3 | 4 | 5;

/** OLM's own words for it. */
export function titleOfLevel(level: Level): CapabilityLevel {
  return capabilityLevels[level - 1] as CapabilityLevel;
}

/** The level that a ClusterServiceVersion claims; 1 where it says nothing that is known. */
export function claimedLevel(capabilities: string | undefined): Level {
  return Math.max(1, (capabilityLevels as readonly (string | undefined)[]).indexOf(capabilities) + 1) as Level;
}

/** A test of the bundle alone: no cluster is needed, nothing is waited for. */
export interface BundleTest {
  readonly id: string;
  readonly title: string;
  run(subject: Subject): Outcome;
}

/** Something that an operator of a level does, seen in a cluster. */
export interface Check {
  /** Of its level, as in `upgrade-rolling`. */
  readonly id: string;
  readonly title: string;
  /** It deletes, changes or restarts something, if only for a moment: not done unless it is asked for. */
  readonly disruptive?: true;
  run(live: Live): Promise<Outcome>;
}

/** The checks of one capability level. */
export interface LevelChecks {
  readonly level: Level;
  readonly checks: readonly Check[];
}
