/** What an instance knows: on its volume, in the memory of its brain, and by looking. Plain data. Times are of its own clock alone. */
import type { ClusterRecord, Position, SyncSet } from './record.ts';

/** What is on the volume of an instance, beside the data, written and synced before anything is done that follows from it. */
export interface Disk {
  /** No epoch below it is helped: nothing acknowledged, nothing granted, nothing led. */
  readonly promised: number;
  /** Whom postgres is to follow; undefined: nobody. */
  readonly follows: { readonly holder: string; readonly epoch: number } | undefined;
  /** The latest epoch in which this data was the primary's; undefined once it was rewound or cloned. */
  readonly led: number | undefined;
  /** `none`: there is no data yet; `broken`: a clone or a rewind was begun, and has not ended. */
  readonly data: 'none' | 'broken' | 'whole';
  /** Of a primary: every set that it has read in the record of its epoch, before it may act on it. */
  readonly sets: readonly SyncSet[];
  /** A grant was given, and has not lapsed as far as was written down. A brain that starts takes it for given just now. */
  readonly granted: boolean;
}

/** What the guard and postgres say. */
export interface Postgres {
  /** `primary` and `standby`: it runs as that; `stopped`: no process of it is left. */
  readonly is: 'primary' | 'standby' | 'stopped';
  /** A standby receives, or may still receive, from somebody. */
  readonly receives: boolean;
  /** The end of what is on disk; undefined while it can't be said. */
  readonly position: Position | undefined;
  /** Since when a write to the local disk has been under way, or has failed; undefined: the last one was done at once. Primaries alone. */
  readonly probeFailsSince: number | undefined;
  /** Sent off at that time, the last write that was done. Primaries alone. */
  readonly probedAt: number | undefined;
  /** The set that every process of it goes by; undefined while they may go by two. */
  readonly applied: SyncSet | undefined;
  /** A write that began after it was started, and after `applied` was, has been acknowledged by that set. */
  readonly confirmed: boolean;
}

/** What the brain of an instance remembers, and may forget at any time. */
export interface Memory {
  /** When the last renewal that succeeded was sent, and for which epoch. */
  readonly lease: { readonly epoch: number; readonly sentAt: number } | undefined;
  /** By standby: when the last request that was granted was sent, for the epoch that is led. */
  readonly grants: ReadonlyMap<string, number>;
  /** Until when it does not freeze, because it has granted. */
  readonly grantedUntil: number | undefined;
}

/** Everything that an instance decides by. */
export interface InstanceView {
  readonly name: string;
  readonly now: number;
  /** As it was last read of the API server itself, never of a cache; undefined: never since the brain started. */
  readonly record: ClusterRecord | undefined;
  readonly disk: Disk;
  readonly postgres: Postgres;
  readonly memory: Memory;
}
