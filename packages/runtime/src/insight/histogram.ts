/** Counts by size: an observation costs a search among some forty numbers, and no memory. */
import type { Sample } from './metric-family.ts';

/** Counts values by size, for a `MetricFamily` of the type `histogram`. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** By the index of the first bound that is not below the value; the last is for what is above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  /** @param bounds Ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** Counts one. */
  observe(value: number): void {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (value <= (this.#bounds[middle] as number)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] as number) + 1;
    this.#sum += value;
    this.#count++;
  }

  /** As Prometheus has them: buckets, each with all below it, the sum and the count. */
  *samples(labels: Readonly<Record<string, string>>): Generator<Sample> {
    let upTo = 0;
    for (const [index, bound] of this.#bounds.entries()) {
      upTo += this.#counts[index] as number;
      yield { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: upTo };
    }
    yield { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: this.#count };
    yield { suffix: '_sum', labels, value: this.#sum };
    yield { suffix: '_count', labels, value: this.#count };
  }
}
