/** The capability levels of operators, by number. */
import { type CapabilityLevel, capabilityLevels } from '../olm/cluster-service-version.ts';

export type Level = 1 | 2 | 3 | 4 | 5;

/** OLM's own words for it. */
export function titleOfLevel(level: Level): CapabilityLevel {
  return capabilityLevels[level - 1] as CapabilityLevel;
}

/** The level that a ClusterServiceVersion claims; 1 where it says nothing that is known. */
export function claimedLevel(capabilities: string | undefined): Level {
  return Math.max(1, (capabilityLevels as readonly (string | undefined)[]).indexOf(capabilities) + 1) as Level;
}
