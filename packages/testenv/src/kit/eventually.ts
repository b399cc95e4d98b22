/** Waits for what comes about by itself, and tells what was seen instead when it doesn't. */
import { setTimeout as delay } from 'node:timers/promises';
import { TestenvError } from '../error.ts';
import { type Duration, formatDuration, toMilliseconds } from '../faults/requests/duration.ts';
import { described, Sightings } from './internal/sightings.ts';

/** How long {@link eventually} looks, and when it is satisfied. */
export interface EventuallyOptions<T> {
  /** Milliseconds, or a text such as `'30s'`; 20 s unless given. */
  timeout?: Duration;
  /** Time from the end of one look to the next; 50 ms unless given. */
  interval?: Duration;
  /** When what a look gave is good enough. Anything but `false` is, unless given. */
  until?: (value: T) => boolean;
  /** What is waited for, in words, for the message when it never comes: `the Deployment to have 3 replicas`. */
  description?: string;
  /** Ends the waiting with the signal's reason. */
  signal?: AbortSignal;
}

const TIMEOUT = 20_000;
const INTERVAL = 50;

/**
 * Looks again and again until a look neither throws nor gives `false`, and returns what it gave. Assertions belong
 * inside: `await eventually(async () => expect((await read()).replicas).toBe(3))`.
 *
 * When the time is up it fails with what the last look saw (the error, the difference, the value) and with what earlier
 * ones saw before that. A look that never ends is named as such.
 *
 * @param look Is given a signal that fires when the time is up.
 */
export async function eventually<T>(
  look: (signal: AbortSignal) => T | Promise<T>,
  options: EventuallyOptions<T> = {},
): Promise<Exclude<T, false>> {
  const timeout = millisecondsOf(options.timeout ?? TIMEOUT, 'timeout');
  const interval = millisecondsOf(options.interval ?? INTERVAL, 'interval');
  const { until = (value) => value !== false, signal } = options;
  const origin = new Error();
  const seen = new Sightings(() => performance.now());
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeout);
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const value = await oneLook(look, until, seen, either);
      if (value !== notYet) return value as Exclude<T, false>;
      await delay(interval, undefined, { signal: either }).catch(() => {});
      if (over.signal.aborted) throw inVain(seen, timeout, options.description, origin);
    }
  } finally {
    clearTimeout(timer);
  }
}

const notYet = Symbol('not yet');

async function oneLook<T>(
  look: (signal: AbortSignal) => T | Promise<T>,
  until: (value: T) => boolean,
  seen: Sightings,
  signal: AbortSignal,
): Promise<T | typeof notYet> {
  seen.begin();
  const hung = Promise.withResolvers<typeof notYet>();
  const onAbort = () => hung.resolve(notYet);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    // The last look may end in the very turn in which the time is up: what it saw counts more than that it was late.
    return await Promise.race([judged(look, until, seen, signal), hung.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function judged<T>(
  look: (signal: AbortSignal) => T | Promise<T>,
  until: (value: T) => boolean,
  seen: Sightings,
  signal: AbortSignal,
): Promise<T | typeof notYet> {
  try {
    const value = await look(signal);
    if (until(value)) return value;
    seen.saw({ value });
  } catch (error) {
    // What a look says because it was broken off hides what it would have seen.
    if (!signal.aborted) seen.saw({ error });
  }
  return notYet;
}

function inVain(seen: Sightings, timeout: number, description: string | undefined, origin: Error): TestenvError {
  const { last } = seen;
  const what = description ? `waited ${formatDuration(timeout)} for ${description}, in vain` : undefined;
  const message = [what ?? `it did not come about within ${formatDuration(timeout)}`, ...seen.story()].join('\n');
  const cause = last && 'error' in last ? last.error : undefined;
  const error = new TestenvError('KUR_TESTENV_TIMEOUT', message, { cause });
  // Test runners draw the difference between these two.
  const { actual, expected } = (cause ?? {}) as { actual?: unknown; expected?: unknown };
  if (expected !== undefined) Object.assign(error, { actual, expected });
  error.stack = `${error.name}: ${message}\n${callers(origin)}`;
  return error;
}

/** Where it was called: after waiting, a stack knows only of timers. */
function callers({ stack = '' }: Error): string {
  return stack.split('\n').slice(2).join('\n');
}

function millisecondsOf(duration: Duration, field: string): number {
  const milliseconds = toMilliseconds(duration);
  if (milliseconds !== undefined) return milliseconds;
  throw new TestenvError('KUR_TESTENV_OPTION', `eventually: ${field} is ${described(duration)}`, {
    remedy: "give milliseconds above 0, or a text such as '30s' or '250ms'",
  });
}
