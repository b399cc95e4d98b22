/** Remembers the uids that were added last, for what caches will soon know too. Forgetting one must do no harm. */
export class RecentUids {
  readonly #limit: number;
  readonly #uids = new Set<string>();

  /** @param limit How many are remembered; far more than are deleted before a watch tells of it, unless given. */
  constructor(limit = 1024) {
    this.#limit = limit;
  }

  has(uid: string | undefined): boolean {
    return uid !== undefined && this.#uids.has(uid);
  }

  /** What has no uid is not remembered: it could be anything. */
  add(uid: string | undefined): void {
    if (uid === undefined) return;
    // The last is remembered longest, also if it was there before.
    this.#uids.delete(uid);
    this.#uids.add(uid);
    if (this.#uids.size <= this.#limit) return;
    const [oldest] = this.#uids;
    this.#uids.delete(oldest as string);
  }
}
