/** What an instance knows: on its volume, in the memory of its brain, and by looking. Plain data; each time is of its own clock. */
import type { Line } from './log.ts';
import type { ClusterRecord, SyncSet } from './record.ts';
import type { Times } from './times.ts';

/** What is on the volume of an instance, beside the data: written and synced before anything is done that follows from it. */
export interface Disk {
  /** No epoch below it is helped: nothing received, nothing granted, nothing led. */
  readonly promised: number;
  /** Whom postgres is to receive from; undefined: nobody. Its epoch is `promised`. */
  readonly follows: string | undefined;
  /** The latest epoch in which this data was the primary's; undefined once it was rewound or cloned. */
  readonly led: number | undefined;
  /** It has served clients in the epoch that it led last. */
  readonly serves: boolean;
  /** `none`: there is no data; `broken`: it is being made, cloned or rewound, and can't be used. */
  readonly data: 'none' | 'broken' | 'whole';
  /** Of the log that its data is a part of, from the beginning on. */
  readonly lines: readonly Line[];
  /** Of a primary: every set that a commit of its epoch may have been acknowledged by. */
  readonly sets: readonly SyncSet[];
  /** A grant was given. A brain that starts takes it for given just now, for it does not know when. */
  readonly granted: boolean;
}

/** What is on a volume that nobody has used. */
export const EMPTY_DISK: Disk = {
  promised: 0,
  follows: undefined,
  led: undefined,
  serves: false,
  data: 'none',
  lines: [],
  sets: [],
  // Who had this name and another volume may have.
  granted: true,
};

/** What the guard and postgres say. */
export interface Postgres {
  /** `stopped`: no process of it is left. */
  readonly is: 'primary' | 'standby' | 'stopped';
  /** A standby receives, or may still receive, from somebody. */
  readonly receives: boolean;
  /** The end of its log on disk; undefined while it can't be said. */
  readonly lsn: number | undefined;
  /** What it calls the timeline that it writes. Of a primary, once a checkpoint is done since it was promoted. */
  readonly timeline: number | undefined;
  /** When the last write to its own disk was begun that was done. Of a primary. */
  readonly probedAt: number | undefined;
  /** Since when it is to run and does not; undefined while it does, or is not to. */
  readonly startingSince: number | undefined;
  /** It was primary, and ended without being asked, since the brain started. */
  readonly died: boolean;
  /** The set that every process of it goes by; undefined while some may go by another. */
  readonly applied: SyncSet | undefined;
  /** A write that was begun since it started as primary was acknowledged: all that it shows is safe. */
  readonly settled: boolean;
  /** A write that was begun since `applied` is what it is was acknowledged. */
  readonly confirmed: boolean;
  /** Whom it follows has told it that its log is no part of theirs. */
  readonly turnedAway: boolean;
}

/** What has succeeded, by when it was sent. */
export interface Sent {
  readonly epoch: number;
  readonly sentAt: number;
}

/** What the brain of an instance remembers, and may forget at any time. */
export interface Memory {
  /** The last renewal that succeeded. */
  readonly lease: Sent | undefined;
  /** Of the last request that each standby has granted: when it was sent, and for which epoch. */
  readonly grants: ReadonlyMap<string, Sent>;
  /** Until when it does not freeze, because it has granted. */
  readonly grantedUntil: number | undefined;
  /** The highest epoch for which it was asked to freeze. */
  readonly asked: number;
  /** When it has let go of the lease. */
  readonly releasedAt: number | undefined;
}

/** Of a brain that has just started: a grant on disk may live for as long as one that is given now. */
export const freshMemory = ({ granted }: Disk, now: number, { wait }: Times): Memory => ({
  lease: undefined,
  grants: new Map(),
  grantedUntil: granted ? now + wait : undefined,
  asked: 0,
  releasedAt: undefined,
});

/** Everything that an instance decides by. */
export interface InstanceView {
  readonly name: string;
  readonly now: number;
  readonly times: Times;
  /** As it was last read of the API server itself, never of a cache, and never older than before; undefined: not since the brain started. */
  readonly record: ClusterRecord | undefined;
  readonly disk: Disk;
  readonly postgres: Postgres;
  readonly memory: Memory;
}
