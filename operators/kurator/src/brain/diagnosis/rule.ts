/** What a rule of the diagnosis sees, and what it says. */
import type { Evidence } from '../evidence/evidence.ts';
import type { Observation } from '../observation.ts';
import type { ServiceSpec } from '../spec.ts';
import type { Millis } from '../time.ts';
import type { Cause, Confidence } from './cause.ts';

/** The revisions that were seen, and how they were. */
export interface Revisions {
  /** Seen healthy for long enough, the last one last. */
  readonly healthy: readonly string[];
  /** Seen bad: never gone back to. */
  readonly bad: readonly string[];
  /** Seen well for a while, by all checks on all instances, but not for long enough to count as healthy. */
  readonly wellAtFirst?: readonly string[];
  /** Left by a roll-back. If somebody brings one of these back, that is a person's will. */
  readonly left: readonly string[];
}

/** What a rule looks at. */
export interface DiagnosisInput {
  readonly spec: ServiceSpec;
  readonly evidence: Evidence;
  readonly seen: Observation;
  readonly revisions: Revisions;
  /** Causes that a person has already been called for: asked again only when nothing else fits. */
  readonly givenUp: readonly Cause[];
  readonly now: Millis;
}

/** What a rule found. */
export interface Finding {
  readonly cause: Cause;
  readonly confidence: Confidence;
  readonly affected: readonly string[];
  readonly reasons: readonly string[];
}

/** One way to explain what was seen. */
export type Rule = (input: DiagnosisInput) => Finding | undefined;
