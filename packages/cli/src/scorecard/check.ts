/** What is looked at, line by line: a check is a name and a function. */
import type { Level } from './level.ts';
import type { Live } from './live.ts';
import type { Outcome } from './outcome.ts';
import type { Subject } from './subject.ts';

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
