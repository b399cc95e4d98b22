/** One Kurator in one round: everything that the steps of its reconcile hand to each other. */
import type { AuthorContext } from '@kurator/sdk';
import type { ServiceSpec } from '../brain/spec.ts';
import type { Millis } from '../brain/time.ts';
import type { Kurator } from '../resources/kurator.ts';
import type { Served } from '../serving/served.ts';
import type { ReadSecret } from '../translating/probes.ts';
import type { Relations } from './dependencies.ts';
import type { Memory } from './memory.ts';
import type { Mind } from './mind.ts';
import type { Index, Scene } from './scene.ts';
import type { Ward } from './ward.ts';

/** In whose name everything is written. */
export const fieldManager = 'kurator';

/** What a reconcile is given. */
export type Context = AuthorContext<Index>;

/** A Kurator that is being looked after. */
export interface Round {
  readonly ward: Ward;
  readonly mind: Mind;
  /** As it is now, our own last write included. */
  readonly kurator: Kurator;
  readonly context: Context;
  readonly now: Millis;
}

/** One whose workload is there. */
export interface Case extends Round {
  readonly scene: Scene;
  readonly spec: ServiceSpec;
  readonly relations: Relations;
  /** As it is written; what this round adds to it comes later. */
  readonly memory: Memory;
  /** What came of making it as described; undefined where it is somebody else's. */
  readonly served: Served | undefined;
  readonly readSecret: ReadSecret;
}
