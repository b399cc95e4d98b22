/** Waiting that ends when it should. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or rejects with the signal's reason. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, undefined, signal ? { signal } : {}).catch((error) => {
    signal?.throwIfAborted();
    throw error;
  });
}

/** What `promise` gives, unless the signal is quicker. Nobody hears of what comes of it then. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await promise;
  promise.catch(() => undefined);
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Runs `work` for what `source` gives, at most `limit` at once; the first failure ends all of it. */
export async function inParallel<T>(
  source: (signal: AbortSignal) => Promise<T | undefined>,
  limit: number,
  outer: AbortSignal | undefined,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const signal = outer ? AbortSignal.any([outer, stop.signal]) : stop.signal;
  const running = new Set<Promise<void>>();
  try {
    for (let item = await source(signal); item !== undefined; item = await source(signal)) {
      const one: Promise<void> = work(item, signal)
        .catch((error) => stop.abort(error))
        .finally(() => running.delete(one));
      running.add(one);
      if (running.size >= limit) await Promise.race(running);
      signal.throwIfAborted();
    }
  } catch (error) {
    stop.abort(error);
  }
  await Promise.all(running);
  signal.throwIfAborted();
}
