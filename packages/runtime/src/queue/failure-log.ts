import { inspect } from 'node:util';
import type { ObjectKey } from '../object-key.ts';
import type { Backoff } from './backoff.ts';
import type { FailingItem } from './queue-statistics.ts';

interface Failure extends FailingItem {
  readonly backoff: number;
  /** Until then even a change doesn't wake it. */
  readonly restsUntil: number;
}

// The longest that a change has to wait because the key has just failed.
const LONGEST_REST = 1000;
const LONGEST_MESSAGE = 300;

/** Which keys failed, how often in a row, and why: no more than a short text each, since many can fail at once. */
export class FailureLog {
  readonly #backoff: Backoff;
  /** The latest last. */
  readonly #failures = new Map<ObjectKey, Failure>();

  constructor(backoff: Backoff) {
    this.#backoff = backoff;
  }

  record(key: ObjectKey, error: unknown, now: number): Failure {
    const failures = this.count(key) + 1;
    const backoff = this.#backoff(failures);
    const restsUntil = now + Math.min(backoff, LONGEST_REST);
    const failure = { key, failures, failedAt: now, error: shortMessage(error), backoff, restsUntil };
    this.#failures.delete(key);
    this.#failures.set(key, failure);
    return failure;
  }

  forget(key: ObjectKey): void {
    this.#failures.delete(key);
  }

  count(key: ObjectKey): number {
    return this.#failures.get(key)?.failures ?? 0;
  }

  restsUntil(key: ObjectKey): number {
    return this.#failures.get(key)?.restsUntil ?? 0;
  }

  latest(limit: number): FailingItem[] {
    const latest = Array.from(this.#failures.values()).reverse();
    return latest.slice(0, limit).map(({ key, failures, failedAt, error }) => ({ key, failures, failedAt, error }));
  }
}

function shortMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : inspect(error, { depth: 1 });
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
}
