/**
 * Many small byte strings by key, packed into a few large buffers ("slabs"). One heap object a record instead of a
 * Buffer a record: for objects of some kilobytes that is the difference between half of Go's memory and twice of it.
 *
 * What is replaced or deleted leaves a hole. When a slab is mostly holes, what lives in it moves to the newest slab
 * and the slab is given back, so the store never holds more than about twice what lives in it, plus one slab.
 */
import type { ObjectKey } from '../object-key.ts';

/** A place in a slab. */
interface Place {
  slab: Slab;
  offset: number;
  length: number;
}

interface Slab {
  readonly bytes: Buffer;
  used: number;
  live: number;
}

/** 4 MiB: large enough that slabs are few, small enough that a half-empty one doesn't matter. */
const SLAB_SIZE = 4 * 1024 * 1024;

export class ByteStore {
  readonly #slabSize: number;
  readonly #places = new Map<ObjectKey, Place>();
  readonly #slabs = new Set<Slab>();
  #current: Slab | undefined;

  constructor(slabSize = SLAB_SIZE) {
    this.#slabSize = slabSize;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Bytes held, holes included. */
  get heldBytes(): number {
    let sum = 0;
    for (const slab of this.#slabs) sum += slab.bytes.length;
    return sum;
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#places.keys();
  }

  has(key: ObjectKey): boolean {
    return this.#places.has(key);
  }

  /** A view that is good until the next write: whoever keeps it copies it. */
  get(key: ObjectKey): Buffer | undefined {
    const place = this.#places.get(key);
    return place?.slab.bytes.subarray(place.offset, place.offset + place.length);
  }

  /** The UTF-8 text of a record. */
  text(key: ObjectKey): string | undefined {
    const place = this.#places.get(key);
    return place?.slab.bytes.toString('utf8', place.offset, place.offset + place.length);
  }

  /** Copies the parts, one after another, into the record. */
  set(key: ObjectKey, ...parts: readonly Uint8Array[]): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    this.delete(key);
    const before = this.#current;
    const place = this.#allot(length);
    let at = place.offset;
    for (const part of parts) {
      place.slab.bytes.set(part, at);
      at += part.length;
    }
    this.#places.set(key, place);
    if (before && before !== this.#current) this.#reclaim(before);
  }

  delete(key: ObjectKey): boolean {
    const place = this.#places.get(key);
    if (!place) return false;
    this.#places.delete(key);
    place.slab.live -= place.length;
    this.#reclaim(place.slab);
    return true;
  }

  #allot(length: number): Place {
    let slab = this.#current;
    if (!slab || slab.used + length > slab.bytes.length) {
      slab = { bytes: Buffer.allocUnsafeSlow(Math.max(this.#slabSize, length)), used: 0, live: 0 };
      this.#slabs.add(slab);
      this.#current = slab;
    }
    const offset = slab.used;
    slab.used += length;
    slab.live += length;
    return { slab, offset, length };
  }

  #reclaim(slab: Slab): void {
    if (slab === this.#current || slab.live > slab.bytes.length / 2) return;
    this.#slabs.delete(slab);
    // A list of who lives in which slab would cost memory for every record all the time, to save a look at all of them
    // once in thousands of changes.
    for (const place of this.#places.values()) {
      if (place.slab !== slab) continue;
      const { offset, length } = place;
      Object.assign(place, this.#allot(length));
      slab.bytes.copy(place.slab.bytes, place.offset, offset, offset + length);
    }
  }
}
