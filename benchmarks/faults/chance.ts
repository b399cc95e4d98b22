/** What differs from one trial to the next, and can be had again: the same seed gives the same trials. */
import { createHash } from 'node:crypto';

/** A number from 0 to 1, 1 not included, that follows from a seed and what it is for. */
export function chance(seed: number, what: string): number {
  return createHash('sha256').update(`${seed} ${what}`).digest().readUInt32BE(0) / 2 ** 32;
}

/** One of several, by chance; undefined where there is none. */
export function oneOf<T>(all: readonly T[], seed: number, what: string): T | undefined {
  return all[Math.floor(chance(seed, what) * all.length)];
}
