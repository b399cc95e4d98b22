/** What coordinator and instances say to each other. Any of it may come late, twice, or never. */
import type { Position } from './record.ts';

/** The coordinator to every instance, once the record says Freezing: acknowledge nothing for epochs below this one. */
export interface FreezeRequest {
  readonly epoch: number;
}

/**
 * - `frozen`: promised, on disk, and nothing is received any more; the position does not change before it follows a new holder.
 * - `refused`, `granted`: it has let the primary run on for a while; ask again. It grants no more.
 * - `refused`, `newer`: it has promised a later epoch.
 * - `refused`, `broken`: its data is not whole; it is cloned or rewound.
 * - `refused`, `busy`: postgres is not stopped, or its receiver is not gone, yet.
 */
export type FreezeAnswer =
  | {
      readonly answer: 'frozen';
      readonly epoch: number;
      readonly from: string;
      readonly position: Position;
      /** The latest epoch in which this data was the primary's, if it was not rewound or cloned since. */
      readonly led: number | undefined;
    }
  | { readonly answer: 'refused'; readonly from: string; readonly why: 'granted' | 'newer' | 'broken' | 'busy' };

/** A primary that can't reach the API server to its standbys: may I run on? */
export interface GrantRequest {
  readonly epoch: number;
  readonly holder: string;
}

/** Granted: it does not freeze for as long as grants live, by its own clock from the receipt on. */
export type GrantAnswer = { readonly granted: boolean; readonly from: string; readonly epoch: number };
