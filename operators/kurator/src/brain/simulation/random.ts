/** Chance that can be had again: the same seed gives the same row of numbers. */
export interface Random {
  /** From 0 to 1, 1 not included. */
  next(): number;
  /** Whether something of this probability happens. */
  chance(probability: number): boolean;
  /** A whole number from 0, below `end`. */
  below(end: number): number;
}

/** A row of numbers that looks like chance (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (probability) => probability > 0 && next() < probability,
    below: (end) => Math.floor(next() * end),
  };
}
