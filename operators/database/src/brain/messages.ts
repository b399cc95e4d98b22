/** What coordinator and instances say to each other. Any of it may come late, twice, or never. */
import type { Line } from './log.ts';

/** The coordinator to every instance, once the record says Freezing: acknowledge nothing for epochs below this one. */
export interface FreezeRequest {
  readonly epoch: number;
}

/** Promised, on disk, and nothing is received any more: its log stays as it is until it follows a new holder. */
export interface Frozen {
  readonly answer: 'frozen';
  readonly epoch: number;
  readonly from: string;
  /** Of its log, to its end. */
  readonly lines: readonly Line[];
  readonly lsn: number;
  /** The latest epoch in which this data was the primary's, if it was not rewound or cloned since. */
  readonly led: number | undefined;
}

/**
 * - `granted`: it has let the primary run on for a while, and does so no more: ask again.
 * - `newer`: it has promised a later epoch, or helps this one already.
 * - `broken`: its data is not whole.
 * - `busy`: its receiver is not gone yet, or postgres is not, or the end of its log is not known.
 */
export interface NotFrozen {
  readonly answer: 'refused';
  readonly epoch: number;
  readonly from: string;
  readonly why: 'granted' | 'newer' | 'broken' | 'busy';
}

export type FreezeAnswer = Frozen | NotFrozen;

/** A primary that can't reach the API server, to its standbys: may I run on? */
export interface GrantRequest {
  readonly epoch: number;
  readonly holder: string;
}

/** Granted: it does not freeze for `wait` from the receipt on. The primary runs on for `run` from when it has sent the request. */
export interface GrantAnswer {
  readonly granted: boolean;
  readonly epoch: number;
  readonly from: string;
}
