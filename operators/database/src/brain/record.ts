/**
 * What is written down of a cluster, in one object that is only ever changed by compare-and-set: who may write, and what must be
 * asked before somebody else may. One object, so that a renewal and a change of the epoch can never both succeed.
 */

/**
 * How far an epoch is.
 *
 *     Serving ──► Freezing ──► Promoting ──► Serving     Freezing: nobody leads; whoever could acknowledge for the last one is asked to
 *                  ▲   ▲          │                      promise that it won't. Promoting: one of those who answered is to lead, and
 *                  └───┴──────────┘                      serves nobody yet. Each way into Freezing is a new epoch.
 */
export type Stage = 'Freezing' | 'Promoting' | 'Serving';

/** A commit counts once `k` of `names` have it on disk: `ANY k (names)`. No names, and k is 0: it counts at once. */
export interface SyncSet {
  readonly names: readonly string[];
  /** At least 1 where there are names, and no more than these. */
  readonly k: number;
}

/** Where the log of an epoch begins: after everything that came before it. */
export interface Beginning {
  readonly timeline: number;
  /** The end of the checkpoint that follows the promotion, in bytes. */
  readonly lsn: number;
}

/** The record of a cluster. */
export interface ClusterRecord {
  /** Goes up by one with each way into Freezing. Whoever has promised an epoch helps none that is lower. */
  readonly epoch: number;
  readonly stage: Stage;
  /** Who may run postgres as primary in this epoch; undefined while Freezing. */
  readonly holder: string | undefined;
  /** Goes up by one whenever the holder renews and whenever there is a new one. No time is written down: nobody could trust it. */
  readonly renewal: number;
  /** The last holder has seen its postgres dead, and will not start it before it has renewed. */
  readonly released: boolean;
  /** Where the log of this epoch begins; undefined until its holder was promoted. */
  readonly begun: Beginning | undefined;
  /** Who last served clients, and in which epoch; undefined until the first one has. */
  readonly served: { readonly holder: string; readonly epoch: number } | undefined;
  /**
   * Every set that a commit may have been acknowledged by. Two while one follows another; the holder takes the first away, once
   * whatever the first has acknowledged is safe by the second too.
   */
  readonly sets: readonly SyncSet[];
  /** Who is to be chosen, if it has all that is needed; by a switchover. */
  readonly preferred: string | undefined;
}

/** How far an instance's log goes. Logs are compared by their epoch first: two timelines may bear the same number. */
export interface Position {
  /** The epoch whose holder wrote the last entry of it. */
  readonly epoch: number;
  /** The end of what is on disk, in bytes. */
  readonly lsn: number;
}
