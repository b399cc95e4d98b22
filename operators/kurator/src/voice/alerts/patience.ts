import type { AlertChannel } from '../../resources/alert-channel.ts';

/** What is known of a channel's sink between two deliveries. Losing it costs a try too many, or an alert that comes twice. */
export interface Patience {
  /** Failures since it last took an alert. */
  readonly failures: number;
  /** How often it has said that this alert is wrong. */
  readonly refusals: number;
  /** No try before this. */
  readonly notBefore: number;
  /** The alert that it has taken last. */
  readonly sent?: string;
}

/** Of a sink of which nothing is known. */
export const noPatience: Patience = { failures: 0, refusals: 0, notBefore: 0 };

const MOST = 1000;

/**
 * For each channel as it is now: a person who mends it need not wait. Nobody says when a channel is gone: those that were
 * not heard of for longest are forgotten.
 */
export class Patiences {
  readonly #known = new Map<string, Patience>();

  of(channel: AlertChannel): Patience {
    return this.#known.get(keyOf(channel)) ?? noPatience;
  }

  set(channel: AlertChannel, patience: Patience): void {
    const key = keyOf(channel);
    this.#known.delete(key);
    this.#known.set(key, patience);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
  }
}

function keyOf({ metadata: { uid, generation } }: AlertChannel): string {
  return `${uid}@${generation}`;
}
