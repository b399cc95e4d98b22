import type { TargetCluster } from './target-cluster.ts';

/** A fault that is being made: what its maker may use, and has to tell. */
export interface Fault {
  /** Digits; unique in the life of a cluster. */
  readonly id: string;
  readonly cluster: TargetCluster;
  /**
   * Takes something that only one fault at a time may change, for as long as the fault lasts. It is a path: whoever has
   * `machine/n1` has all below it. Throws when another fault has it.
   */
  claim(path: string): void;
  /**
   * How something that was just made is undone. Steps run newest first, when the fault heals or could not be made
   * completely. A step has nothing to do where its target is gone, needs no API server, and may run again if it fails.
   */
  onHeal(step: () => Promise<void>): void;
}

/** Makes one kind of fault. */
export type Inject<R> = (request: R, fault: Fault) => Promise<void>;
