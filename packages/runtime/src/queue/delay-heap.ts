import type { Entry } from './entry.ts';

/** Entries by when they are ready, the earliest on top: a binary heap, in which each entry knows its place. */
export class DelayHeap {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  get first(): Entry | undefined {
    return this.#entries[0];
  }

  /** Puts an entry in, or moves it after its `readyAt` became earlier. */
  put(entry: Entry): void {
    if (entry.heapIndex < 0) {
      entry.heapIndex = this.#entries.length;
      this.#entries.push(entry);
    }
    this.#rise(entry);
  }

  remove(entry: Entry): void {
    const index = entry.heapIndex;
    const last = this.#entries.pop();
    entry.heapIndex = -1;
    if (!last || last === entry) return;
    this.#place(last, index);
    this.#rise(last);
    this.#sink(last);
  }

  clear(): void {
    for (const entry of this.#entries) entry.heapIndex = -1;
    this.#entries.length = 0;
  }

  /** The earliest `limit` ones in their order. Costs as much as sorting them all: for people who look. */
  earliest(limit: number): Entry[] {
    return this.#entries.toSorted((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, limit);
  }

  #rise(entry: Entry): void {
    while (entry.heapIndex > 0) {
      const parent = this.#entries[(entry.heapIndex - 1) >> 1];
      if (!parent || isBefore(parent, entry)) return;
      this.#swap(parent, entry);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#entries[2 * entry.heapIndex + 1];
      const right = this.#entries[2 * entry.heapIndex + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (!child || isBefore(entry, child)) return;
      this.#swap(entry, child);
    }
  }

  #swap(a: Entry, b: Entry): void {
    const index = a.heapIndex;
    this.#place(a, b.heapIndex);
    this.#place(b, index);
  }

  #place(entry: Entry, index: number): void {
    entry.heapIndex = index;
    this.#entries[index] = entry;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.order < b.order);
}
