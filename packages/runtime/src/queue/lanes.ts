import type { Entry } from './entry.ts';
import type { Priority } from './priority.ts';

/** First in, first out; linked, so that an entry can leave from the middle at no cost. */
interface Lane {
  readonly priority: Priority;
  size: number;
  head: Entry | undefined;
  tail: Entry | undefined;
}

// How many may overtake the one that has waited longest before it is its turn after all. Without this, a steady stream
// of changes would keep what was there at the start from ever being looked at.
const PATIENCE = 7;

/** Entries that wait, a lane a priority. */
export class Lanes {
  /** The most urgent first. */
  readonly #lanes: Lane[] = [];
  #size = 0;
  #overtaken = 0;

  get size(): number {
    return this.#size;
  }

  /** To the end of the lane of its priority. */
  push(entry: Entry): void {
    const lane = this.#lane(entry.priority);
    entry.previous = lane.tail;
    entry.next = undefined;
    if (lane.tail) lane.tail.next = entry;
    else lane.head = entry;
    lane.tail = entry;
    lane.size++;
    this.#size++;
  }

  remove(entry: Entry): void {
    const lane = this.#lane(entry.priority);
    if (entry.previous) entry.previous.next = entry.next;
    else lane.head = entry.next;
    if (entry.next) entry.next.previous = entry.previous;
    else lane.tail = entry.previous;
    entry.previous = undefined;
    entry.next = undefined;
    lane.size--;
    this.#size--;
  }

  /** Takes out the most urgent one or, when that has been overtaken often enough, the one that came first. */
  shift(): Entry | undefined {
    const entry = this.#next();
    if (entry) this.remove(entry);
    return entry;
  }

  clear(): void {
    this.#lanes.length = 0;
    this.#size = 0;
  }

  /** Lane by lane, the most urgent first. */
  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    for (const lane of this.#lanes) {
      for (let entry = lane.head; entry; entry = entry.next) yield entry;
    }
  }

  sizes(): Map<Priority, number> {
    return new Map(this.#lanes.filter(({ size }) => size > 0).map(({ priority, size }) => [priority, size]));
  }

  #next(): Entry | undefined {
    let urgent: Entry | undefined;
    let oldest: Entry | undefined;
    for (const { head } of this.#lanes) {
      if (!head) continue;
      urgent ??= head;
      if (!oldest || head.order < oldest.order) oldest = head;
    }
    const overtakes = urgent !== oldest && this.#overtaken < PATIENCE;
    this.#overtaken = overtakes ? this.#overtaken + 1 : 0;
    return overtakes ? urgent : oldest;
  }

  #lane(priority: Priority): Lane {
    let index = 0;
    for (const lane of this.#lanes) {
      if (lane.priority === priority) return lane;
      if (lane.priority < priority) break;
      index++;
    }
    const lane = { priority, size: 0, head: undefined, tail: undefined };
    this.#lanes.splice(index, 0, lane);
    return lane;
  }
}
