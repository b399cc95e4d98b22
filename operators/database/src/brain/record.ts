/**
 * What is written down of a cluster, in one object that is only ever changed by compare-and-set: who may write, and what must be
 * asked before somebody else may. One object, so that a renewal and a change of the epoch can never both succeed.
 */
import type { Line } from './log.ts';

/**
 * How far an epoch is.
 *
 *     Promoting ──► Serving ──► Freezing ──► Promoting     Freezing: nobody may lead; whoever could acknowledge for the last holder is
 *         │                       ▲                        asked to promise that it won't. Promoting: one of those who answered is
 *         └───────────────────────┘                        to lead, and serves nobody yet. Each way into Freezing is a new epoch.
 */
export type Stage = 'Freezing' | 'Promoting' | 'Serving';

/** A commit counts once `k` of `names` have it on disk: `ANY k (names)`. Without names `k` is 0, and it counts at once. */
export interface SyncSet {
  readonly names: readonly string[];
  /** At least 1 where there are names, and no more than these. */
  readonly k: number;
}

/** The record of a cluster. */
export interface ClusterRecord {
  /** Whoever has promised an epoch helps none that is lower. */
  readonly epoch: number;
  readonly stage: Stage;
  /** Who may run postgres as primary in this epoch; while Freezing, who was the last that might. */
  readonly holder: string;
  /** Goes up by one whenever the holder renews, and whenever there is a new one. No time is written down: nobody could trust it. */
  readonly renewal: number;
  /** The holder has seen its postgres dead, and does not start it before it has renewed. */
  readonly released: boolean;
  /** Of the holder's log: up to the last epoch before this one, and with this one's once it was promoted and a checkpoint is done. */
  readonly lines: readonly Line[];
  /** Who last served clients, and in which epoch; undefined until somebody has. */
  readonly served: { readonly holder: string; readonly epoch: number } | undefined;
  /** Every set that a commit which was served may have been acknowledged by, but for `next`. */
  readonly sets: readonly SyncSet[];
  /**
   * The set that is to be. A holder that serves may go by it from the moment it is written; one that does not serve yet acknowledges
   * nothing by it. When it says that all that counts is safe by `next` alone, that is the only one.
   */
  readonly next: SyncSet | undefined;
  /** To whom the holder is to hand over; chosen, if it has all that counts. */
  readonly preferred: string | undefined;
}

/** Whether the holder was promoted, so that others can follow it. */
export const hasBegun = ({ stage, lines, epoch }: ClusterRecord): boolean =>
  stage !== 'Freezing' && lines.at(-1)?.epoch === epoch;

/** What a freeze has to cover, and grants have to. */
export const setsOf = ({ stage, sets, next }: ClusterRecord): readonly SyncSet[] =>
  next && stage === 'Serving' ? withSet(sets, next) : sets;

export const withSet = (sets: readonly SyncSet[], set: SyncSet): readonly SyncSet[] =>
  hasSet(sets, set) ? sets : [...sets, set];

export const isSameSet = (a: SyncSet | undefined, b: SyncSet | undefined): boolean =>
  a !== undefined && b !== undefined && a.k === b.k && [...a.names].sort().join() === [...b.names].sort().join();

export const hasSet = (sets: readonly SyncSet[], set: SyncSet): boolean => sets.some((one) => isSameSet(one, set));
