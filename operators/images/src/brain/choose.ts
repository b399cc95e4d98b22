/** What a registry offers that is newer than what runs, and why each other tag is not taken. */
import { type Filter, filterOf } from './filter.ts';
import { type Builds, compareTexts, type Order, orderOf, type Policy } from './policy.ts';

/** What was asked of the list. */
export interface Question {
  readonly policy: Policy;
  readonly filter?: Filter | undefined;
  /** The tag that the workload's image has. */
  readonly running: string | undefined;
  /** All of the registry's, in whatever order. */
  readonly tags: readonly string[];
  readonly builds?: Builds | undefined;
}

/** One tag, and what became of it. */
export interface Reason {
  readonly tag: string;
  readonly why: string;
}

/** What came of looking. */
export type Choice =
  | { readonly is: 'unknown'; readonly why: string; readonly reasons: readonly Reason[] }
  /** Newest first. */
  | { readonly is: 'known'; readonly newer: readonly string[]; readonly reasons: readonly Reason[] };

interface Placed {
  readonly tag: string;
  readonly key: unknown;
}

/**
 * Filters first, then orders. What can't be compared with what runs is unknown: nothing follows from it. Every tag has its reason.
 */
export function choose({ policy, filter, running, tags, builds }: Question): Choice {
  const reasons: Reason[] = [];
  const unknown = (why: string): Choice => ({ is: 'unknown', why, reasons });
  const order = orderOf(policy, builds);
  if (!order) return unknown('spec.policy.digest follows one tag, and no list');
  if (running === undefined)
    return unknown('what runs is named by its digest alone: write its tag before the digest once');
  if (!tags.includes(running)) return unknown(`the registry does not list ${running}, which runs`);
  const accepts = filterOf(filter);
  const own = placeOf(running, accepts, order);
  if ('why' in own)
    return unknown(`${running} runs, and has no place in the order (${own.why}): set one that has, once`);
  const newer: Placed[] = [];
  for (const tag of new Set(tags)) {
    if (tag === running) {
      reasons.push({ tag, why: 'it runs' });
      continue;
    }
    const placed = placeOf(tag, accepts, order);
    const why = 'why' in placed ? placed.why : whyNot(placed.key, own.key, running, order);
    if (why === undefined && 'key' in placed) newer.push({ tag, key: placed.key });
    else reasons.push({ tag, why: why ?? '' });
  }
  newer.sort((a, b) => order.compare(b.key, a.key) || compareTexts(b.tag, a.tag));
  const chosen = newer.map(({ tag }) => tag);
  const offered = chosen.map((tag, at) => ({
    tag,
    why: at === 0 ? `it is the newest, and newer than ${running}` : `${chosen[0]} is newer`,
  }));
  return { is: 'known', newer: chosen, reasons: [...offered, ...reasons] };
}

function placeOf(tag: string, accepts: ReturnType<typeof filterOf>, order: Order) {
  const filtered = accepts(tag);
  return 'why' in filtered ? filtered : order.place(filtered.text, tag);
}

function whyNot(key: unknown, own: unknown, running: string, order: Order): string | undefined {
  const difference = order.compare(key, own);
  if (difference < 0) return `it is older than ${running}, which runs`;
  return order.admits(key) ?? (difference === 0 ? `it is no newer than ${running}, which runs` : undefined);
}
