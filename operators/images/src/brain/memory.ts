/** What is remembered of an ImageUpdate, and stands in its status before anything is done. Times are milliseconds since 1970. */

/** An update that is under way. */
export interface Update {
  /** `Writing`: to be written into the workload; `Judging`: written; `RollingBack`: judged bad, to be undone. */
  readonly stage: 'Writing' | 'Judging' | 'RollingBack';
  readonly tag: string;
  readonly digest: string;
  /** The image's text that was there. */
  readonly from: string;
  /** The text that is to be there. */
  readonly to: string;
  /** The text that is there again after a rollback: `from`, by the digest that ran where that is known. */
  readonly back: string;
  /** When its stage began. */
  readonly since: number;
  /** Since when all has been well without a break. */
  readonly wellSince?: number | undefined;
  /** Why it is rolled back. */
  readonly why?: string | undefined;
}

export type Outcome = 'Accepted' | 'RolledBack' | 'Superseded' | 'NotWritten';

/** An update that is over. */
export interface Past {
  readonly tag: string;
  readonly digest: string;
  readonly from: string;
  readonly to: string;
  readonly at: number;
  readonly outcome: Outcome;
  readonly why: string;
}

/** An image that is not rolled out again until somebody lifts that. */
export interface Quarantined {
  readonly digest: string;
  readonly tag: string;
  readonly at: number;
  readonly why: string;
}

/** An image that is newer than what runs. */
export interface Offer {
  readonly tag: string;
  readonly digest: string;
  readonly firstSeen: number;
}

/** All that is remembered. */
export interface Memory {
  /** The image's text as this operator last knew it to be right; undefined before the first look. */
  readonly known?: string | undefined;
  readonly update?: Update | undefined;
  /** Newest first. */
  readonly history: readonly Past[];
  readonly quarantine: readonly Quarantined[];
  /** Somebody else has changed the image: nothing is done until he says so. */
  readonly hold?: { readonly image: string; readonly since: number; readonly why: string } | undefined;
  readonly offers: readonly Offer[];
  /** The annotations that were heeded, for each counts once. */
  readonly resumed?: string | undefined;
  readonly lifted?: string | undefined;
}

export const nothing: Memory = { history: [], quarantine: [], offers: [] };

export const LONGEST_HISTORY = 10;
/** Beyond these nothing is rolled out: an image must never be forgotten to be bad. */
export const MOST_QUARANTINED = 50;
/** How many of the newest are looked at. */
export const MOST_OFFERS = 5;

export function remembering(memory: Memory, past: Past): Memory {
  return { ...memory, history: [past, ...memory.history].slice(0, LONGEST_HISTORY) };
}

export function quarantining(memory: Memory, bad: Quarantined): Memory {
  return { ...memory, quarantine: [...memory.quarantine.filter(({ digest }) => digest !== bad.digest), bad] };
}
