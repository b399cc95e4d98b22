/**
 * What is due when, for small whole numbers: a binary heap in typed arrays that knows where each number lies, so that
 * adding, moving and removing one of tens of thousands takes well under a microsecond, and no timer each.
 */
const NOWHERE = -1;

export class DueQueue {
  #times = new Float64Array(64);
  /** The heap: earliest first. */
  #ids = new Int32Array(64);
  /** By id: where in the heap it lies. */
  #places = new Int32Array(64).fill(NOWHERE);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** When the earliest is due; infinity when there is none. */
  get earliest(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#timeAt(0);
  }

  /** Adds `id`, or moves it to another time. */
  set(id: number, time: number): void {
    if (id >= this.#places.length) this.#grow(id);
    let place = this.#placeOf(id);
    if (place === NOWHERE) place = this.#size++;
    this.#times[id] = time;
    this.#put(place, id);
    this.#sinkFrom(this.#riseFrom(place));
  }

  /** Nothing happens where it isn't in the queue. */
  delete(id: number): void {
    const place = this.#placeOf(id);
    if (place === NOWHERE) return;
    this.#places[id] = NOWHERE;
    this.#size--;
    if (place === this.#size) return;
    this.#put(place, this.#idAt(this.#size));
    this.#sinkFrom(this.#riseFrom(place));
  }

  /** Takes out the earliest that is due by `now`; undefined when none is. */
  takeDue(now: number): { id: number; time: number } | undefined {
    if (this.#size === 0 || this.earliest > now) return undefined;
    const id = this.#idAt(0);
    this.delete(id);
    return { id, time: this.#times[id] as number };
  }

  #riseFrom(start: number): number {
    const id = this.#idAt(start);
    const time = this.#timeAt(start);
    let place = start;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#timeAt(parent) <= time) break;
      this.#put(place, this.#idAt(parent));
      place = parent;
    }
    this.#put(place, id);
    return place;
  }

  #sinkFrom(start: number): void {
    const id = this.#idAt(start);
    const time = this.#timeAt(start);
    let place = start;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#timeAt(child + 1) < this.#timeAt(child)) child++;
      if (this.#timeAt(child) >= time) break;
      this.#put(place, this.#idAt(child));
      place = child;
    }
    this.#put(place, id);
  }

  #put(place: number, id: number): void {
    this.#ids[place] = id;
    this.#places[id] = place;
  }

  #idAt(place: number): number {
    return this.#ids[place] as number;
  }

  #timeAt(place: number): number {
    return this.#times[this.#ids[place] as number] as number;
  }

  #placeOf(id: number): number {
    return this.#places[id] ?? NOWHERE;
  }

  #grow(id: number): void {
    const length = Math.max(id + 1, this.#places.length * 2);
    const { length: before } = this.#places;
    const bigger = <T extends Int32Array | Float64Array>(old: T, fresh: T): T => {
      fresh.set(old);
      return fresh;
    };
    this.#times = bigger(this.#times, new Float64Array(length));
    this.#ids = bigger(this.#ids, new Int32Array(length));
    this.#places = bigger(this.#places, new Int32Array(length)).fill(NOWHERE, before);
  }
}
