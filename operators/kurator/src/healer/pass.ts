/** One Kurator in one pass of the healer: everything that the steps of its reconcile hand to each other. */
import type { ServiceSpec } from '../brain/spec.ts';
import type { Served } from '../hands/service/make-service.ts';
import type { Pass } from '../memory/pass.ts';
import type { ServiceRecord } from '../memory/service-record.ts';
import type { ReadSecret } from '../senses/check-plan.ts';
import type { Relations } from '../senses/dependencies.ts';
import type { ServiceObjects } from '../senses/service-objects.ts';
import type { HealerScope } from './scope.ts';

/** A pass, with what the operator has for all Kurators together. */
export interface HealerPass extends Pass {
  readonly scope: HealerScope;
}

/** What a look has found of a Kurator whose workload is there. */
export interface Findings extends HealerPass {
  readonly objects: ServiceObjects;
  readonly spec: ServiceSpec;
  readonly relations: Relations;
  /** As it is written; what this pass adds to it comes later. */
  readonly record: ServiceRecord;
  /** What came of making it as described; undefined where it is somebody else's. */
  readonly served: Served | undefined;
  readonly readSecret: ReadSecret;
}

/** Why a Kurator can't be looked after: a word and a sentence. */
export interface Obstacle {
  readonly reason: string;
  readonly problem: string;
  /** What an open incident was about is not there any more, or not this one's; otherwise a person has to make way. */
  readonly isGone: boolean;
  /** It can be looked after, but is another one than the open incident was about. */
  readonly isOther?: true;
}
