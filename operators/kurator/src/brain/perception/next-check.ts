/**
 * When to check next. By events at once; else from time to time, more often while something is suspect or being
 * repaired, more seldom the longer all is well; not at all while the answer would mean nothing.
 */
import type { CheckSpec } from '../spec.ts';
import { type Millis, minute } from '../time.ts';

/** What the pace of a check follows from. */
export interface PaceState {
  /** The check and its target, so that no two of them keep step. */
  readonly key: string;
  /** Since when this operator has known the target: the first run follows soon, but not all of them at once. */
  readonly knownSince: Millis;
  /** When its last run began; missing before the first. */
  readonly lastAt?: Millis;
  /** When something happened that makes a look worthwhile: a container, an endpoint, a node, a dependant's suspicion. */
  readonly eventAt?: Millis;
  /** The last results were not all healthy, or hint at loss, or there is an open incident. */
  readonly suspect: boolean;
  /** A repair is under way, or has just been. */
  readonly repairing: boolean;
  /** Since when all has been well. */
  readonly calmSince?: Millis;
  /** Until when a failure would mean nothing: the instance is starting. */
  readonly graceUntil?: Millis;
  /** Somebody's deploy is under way, and this instance is part of what it changes. */
  readonly deploying: boolean;
}

/** When to check, and why then. */
export interface NextCheck {
  readonly at: Millis;
  readonly because: 'event' | 'first' | 'repair' | 'suspicion' | 'calm' | 'start-up' | 'deploy';
}

/** All is well for this long before the pace begins to slow down, and it takes that long again to reach the slowest. */
const calmBeforeSlowing = 5 * minute;
/** Jitter only ever brings a check forward, so that promises hold. */
const jitterShare = 0.1;

/** When the next run of a check is due. Never before now. */
export function nextCheck(spec: CheckSpec, state: PaceState, now: Millis): NextCheck {
  const { because, at } = planned(spec, state, now);
  return { because, at: Math.max(now, at) };
}

function planned(spec: CheckSpec, state: PaceState, now: Millis): NextCheck {
  const { lastAt, eventAt, graceUntil } = state;
  if (eventAt !== undefined && eventAt > (lastAt ?? Number.NEGATIVE_INFINITY)) return { at: now, because: 'event' };
  if (lastAt === undefined) return { at: state.knownSince + spread(state.key, 0) * spec.fastest, because: 'first' };
  const from = (length: Millis) => lastAt + length * (1 - jitterShare * spread(state.key, lastAt));
  if (state.repairing) return { at: from(spec.fastest), because: 'repair' };
  // A fresh instance is still asked, so that it counts as soon as it is there; but nobody is in a hurry.
  if (graceUntil !== undefined && now < graceUntil) {
    return { at: Math.min(from(spec.period), graceUntil), because: 'start-up' };
  }
  if (state.deploying) return { at: from(spec.period), because: 'deploy' };
  if (state.suspect) return { at: from(spec.fastest), because: 'suspicion' };
  return { at: from(calmInterval(spec, state, now)), because: 'calm' };
}

function calmInterval(spec: CheckSpec, { calmSince = Number.POSITIVE_INFINITY }: PaceState, now: Millis): Millis {
  const slowest = slowestAllowed(spec);
  const share = Math.min(1, Math.max(0, (now - calmSince) / calmBeforeSlowing - 1));
  return spec.period + Math.max(0, slowest - spec.period) * share;
}

/**
 * The slowest pace that still keeps the promise `failAfter × period + timeout`: the first failure may be seen late,
 * because the others follow at the fastest pace.
 */
export function slowestAllowed({ period, timeout, failAfter, fastest, slowest }: CheckSpec): Millis {
  // Where a run may take longer than the fastest pace, the next one begins when it ends.
  const between = Math.max(fastest, timeout);
  return Math.max(period, Math.min(slowest, failAfter * period - (failAfter - 1) * between));
}

/** From 0 to 1, by chance to anybody who looks, and the same again for the same key and time. */
function spread(key: string, salt: number): number {
  let hash = 2166136261 ^ (salt & 0xffffffff);
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
