/** How long an answer may take. */
import type { Clock } from '../../clock.ts';
import { parseDuration } from '../../duration.ts';
import { RuntimeError } from '../../error.ts';

// The API server waits no longer for anything.
const LONGEST = 30_000;
// What the way here and back takes, at most, on a machine that is busy: an answer that comes too late is none. The API server
// counts from before it connects, which a new connection's handshake makes the larger part of.
const MARGIN = 1_000;

/** Milliseconds until there must be an answer: a little less than the API server waits, which it says as `?timeout=10s`. */
export function timeFor(query: URLSearchParams, otherwise: number): number {
  const patience = Math.min(patienceIn(query) ?? otherwise, LONGEST);
  return patience - Math.min(MARGIN, patience / 5);
}

function patienceIn(query: URLSearchParams): number | undefined {
  try {
    return parseDuration(query.get('timeout') ?? '') || undefined;
  } catch {
    return undefined;
  }
}

/** Does the work, unless it takes too long: then it fails, whatever the work does. */
export async function within<T>(
  clock: Clock,
  milliseconds: number,
  gone: AbortSignal,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timeout = new AbortController();
  const timer = clock.setTimeout(() => {
    const message = `the handler did not answer within ${Math.round(milliseconds)} ms`;
    const remedy = 'let it heed its signal; raise the timeout of the webhook, up to 30 s';
    const error = new RuntimeError('KUR_RUNTIME_WEBHOOK_TIMEOUT', message, { remedy });
    timeout.abort(error);
    late.reject(error);
  }, milliseconds);
  try {
    const working = (async () => await work(AbortSignal.any([gone, timeout.signal])))();
    return await Promise.race([working, late.promise]);
  } finally {
    clock.clearTimeout(timer);
  }
}
