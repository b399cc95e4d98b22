import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { TestenvError } from '../error.ts';
import { patient } from './patience.ts';

export interface UntilOptions {
  /** Milliseconds, times `KURATOR_PATIENCE`; 30 s unless told. */
  timeout?: number;
  /** Milliseconds between looks; 20 unless told. */
  interval?: number;
  signal?: AbortSignal;
  /** A process whose end makes waiting pointless. */
  watch?: ChildProcess;
}

/**
 * Looks again and again until `condition` gives something truthy, and returns it. `what` names
 * the awaited thing in the error. A condition that throws counts as "not yet"; its last error is kept as the cause.
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false | null>,
  { timeout: usual = 30_000, interval = 20, signal, watch }: UntilOptions = {},
): Promise<T> {
  const timeout = patient(usual);
  const deadline = Date.now() + timeout;
  let cause: unknown;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const result = await condition();
      if (result) return result;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (watch && (watch.exitCode !== null || watch.signalCode !== null)) {
      throw new TestenvError('KUR_TESTENV_ENDED', `${watch.spawnfile} ended while waiting for ${what}`, { cause });
    }
    if (Date.now() > deadline) {
      throw new TestenvError('KUR_TESTENV_TIMEOUT', `waited ${timeout / 1000} s for ${what}, in vain`, { cause });
    }
    await delay(interval, undefined, signal ? { signal } : {});
  }
}
