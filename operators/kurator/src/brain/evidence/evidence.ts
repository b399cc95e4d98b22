/** Everything that the brain knows about one service at one moment, before it asks why. */
import type { Millis } from '../time.ts';
import type { Symptom } from './symptom.ts';

/**
 * How one instance is. `impaired` still serves; `starting` may still fail; `unknown` was not observed, and is never a
 * reason for anything.
 */
export type InstanceHealth = 'healthy' | 'impaired' | 'failing' | 'starting' | 'unknown' | 'terminating';

/** What is known about one instance. */
export interface InstanceEvidence {
  readonly name: string;
  readonly uid: string;
  readonly node?: string;
  readonly revision: string;
  readonly createdAt: Millis;
  readonly ready: boolean;
  readonly health: InstanceHealth;
  readonly symptoms: readonly Symptom[];
  /** When its containers were seen to end, the last ten times; missing when they never did. */
  readonly crashes?: readonly Millis[];
  /** Missing when no connection to it was measured yet. */
  readonly ways?: Ways;
  /** When the first and the last of the checks began that it answered well in a row; missing when it never did. */
  readonly answered?: { readonly from: Millis; readonly to: Millis };
  /** It uses nearly all that it may; undefined when not known. */
  readonly saturated?: boolean;
  /** When time alone makes it look different: a patience or a grace is over. */
  readonly changesAt?: Millis;
}

/** The vantage points from which an instance was tried, by what was found. */
export interface Ways {
  readonly lossy: readonly string[];
  readonly clear: readonly string[];
  /** Not enough was measured yet. */
  readonly unclear: readonly string[];
  /** Nothing came through the last time. */
  readonly silent: readonly string[];
}

/** How the service is as a whole. */
export type Condition = 'up' | 'degraded' | 'down' | 'unknown';

/** What is known about one service. */
export interface Evidence {
  readonly at: Millis;
  /** Why the watches can't be trusted now; missing when they can. */
  readonly blind?: string;
  readonly desired: number;
  readonly instances: readonly InstanceEvidence[];
  /** Those of the instances and those of the service. */
  readonly symptoms: readonly Symptom[];
  readonly counts: Readonly<Record<InstanceHealth, number>>;
  readonly condition: Condition;
  /** Everything was seen healthy by checks that began no earlier than this; missing unless all is well. */
  readonly healthyAsOf?: Millis;
}

/** Those that something is wrong with, for certain. */
export function confirmed({ symptoms }: Pick<Evidence, 'symptoms'>): readonly Symptom[] {
  return symptoms.filter((symptom) => symptom.confirmed);
}

/** The uids of those that have one of these symptoms, each once. */
export function uidsOf(symptoms: readonly Symptom[]): string[] {
  return [...new Set(symptoms.flatMap(({ instance }) => instance ?? []))];
}

/** Instances in one of the given states. */
export function inState({ instances }: Evidence, ...states: InstanceHealth[]): InstanceEvidence[] {
  return instances.filter(({ health }) => states.includes(health));
}
