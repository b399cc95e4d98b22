/**
 * When the watches were last known to be current. Idle watches are silent for a minute at a time, so silence alone says
 * nothing; but a server that doesn't answer, or a watch that broke off and has not been heard of since, does.
 */
import type { Millis } from '../brain/time.ts';

/** How a cache does, as far as this is about it. */
export interface WatchState {
  /** Milliseconds since something last came. */
  readonly silence: number | undefined;
  /** How often it had to be begun again. */
  readonly troubles: number;
}

interface Known {
  readonly troubles: number;
  /** When it was last looked at. */
  readonly seenAt: Millis;
  /** When it was last well, and when trouble was last seen, if it is in trouble. */
  readonly trouble?: { readonly since: Millis; readonly lastAt: Millis };
}

/** A watch that can't be begun again is in trouble more often than this. */
const settledAfter = 20_000;

/** Judges watches by what is seen of them from time to time. */
export class WatchFreshness {
  readonly #watches = new Map<object, Known>();
  #answeredAt: Millis;

  constructor(now: Millis) {
    this.#answeredAt = now;
  }

  /** The server has answered a question that was asked at this time. */
  answered(askedAt: Millis): void {
    this.#answeredAt = Math.max(this.#answeredAt, askedAt);
  }

  /** Looks at the watches. */
  look(watches: Iterable<readonly [key: object, state: WatchState]>, now: Millis): void {
    for (const [key, state] of watches) {
      const before = this.#watches.get(key) ?? { troubles: state.troubles, seenAt: now };
      const trouble = troubleOf(before, state, now);
      this.#watches.set(key, { troubles: state.troubles, seenAt: now, ...(trouble && { trouble }) });
    }
  }

  /** The moment that the caches surely show. */
  currentAt(): Millis {
    const lost = Array.from(this.#watches.values(), ({ trouble }) => trouble?.since ?? Number.POSITIVE_INFINITY);
    return Math.min(this.#answeredAt, ...lost);
  }
}

function troubleOf(before: Known, { silence, troubles }: WatchState, now: Millis): Known['trouble'] {
  const since = before.trouble?.since ?? before.seenAt;
  if (troubles > before.troubles) return { since, lastAt: now };
  if (!before.trouble) return undefined;
  const { lastAt } = before.trouble;
  const isHeard = silence !== undefined && now - silence > lastAt;
  return isHeard || now - lastAt > settledAfter ? undefined : before.trouble;
}
