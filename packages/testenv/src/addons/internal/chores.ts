/** Work that is begun again and again until it is done: never twice at once for one key, and later after a failure. */
export interface Chores {
  /** Begins the chore, unless it is under way, or has failed a moment ago. */
  begin(key: string, chore: () => Promise<void>): void;
  /** Resolves once nothing is under way; after that, nothing wakes up any more. */
  end(): Promise<void>;
}

export interface ChoresOptions {
  /** Called when a chore should be begun again: it has failed a while ago, or was asked for while under way. */
  wake(): void;
  failed(key: string, error: unknown): void;
  /** Milliseconds before the second try; doubled after each further failure, up to a hundred times as long. 250 unless told. */
  firstDelay?: number;
}

export function createChores({ wake, failed, firstDelay = 250 }: ChoresOptions): Chores {
  const underWay = new Map<string, Promise<void>>();
  const failures = new Map<string, number>();
  const resting = new Map<string, NodeJS.Timeout>();
  const askedAgain = new Set<string>();

  function rest(key: string): void {
    const count = (failures.get(key) ?? 0) + 1;
    failures.set(key, count);
    const delay = Math.min(firstDelay * 2 ** (count - 1), firstDelay * 100);
    const timer = setTimeout(() => {
      resting.delete(key);
      wake();
    }, delay);
    resting.set(key, timer);
  }

  async function attempt(key: string, chore: () => Promise<void>): Promise<void> {
    try {
      await chore();
      failures.delete(key);
    } catch (error) {
      failed(key, error);
      rest(key);
    } finally {
      underWay.delete(key);
      // What changed while it was under way, it may not have seen.
      if (askedAgain.delete(key)) wake();
    }
  }

  return {
    begin(key, chore) {
      if (underWay.has(key)) askedAgain.add(key);
      else if (!resting.has(key)) underWay.set(key, attempt(key, chore));
    },
    async end() {
      await Promise.all(underWay.values());
      for (const timer of resting.values()) clearTimeout(timer);
    },
  };
}
