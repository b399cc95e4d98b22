/** A signal that fires when the caller's does, or when the time is up; `end()` frees the timer and the listener. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** All the time there was, in milliseconds. */
  readonly length: number;
  /** Milliseconds until the time is up. */
  left(): number;
  /** True once the time was up before the caller's own signal fired. */
  expired(): boolean;
  /** Waits for something that doesn't know the signal, but no longer than the signal allows. */
  race<T>(work: Promise<T>): Promise<T>;
  end(): void;
}

// AbortSignal.any + AbortSignal.timeout would do the same, but keep a timer for every finished request.
export function startDeadline(milliseconds: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const start = performance.now();
  let expired = false;
  const onAbort = () => controller.abort(outer?.reason);
  const timer = setTimeout(() => {
    expired = true;
    controller.abort(new DOMException('The deadline has passed', 'TimeoutError'));
  }, milliseconds);
  if (outer?.aborted) onAbort();
  outer?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    length: milliseconds,
    left: () => start + milliseconds - performance.now(),
    expired: () => expired,
    async race(work) {
      const { promise, reject } = Promise.withResolvers<never>();
      const stop = () => reject(controller.signal.reason);
      if (controller.signal.aborted) stop();
      controller.signal.addEventListener('abort', stop, { once: true });
      try {
        return await Promise.race([work, promise]);
      } finally {
        controller.signal.removeEventListener('abort', stop);
      }
    },
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onAbort);
    },
  };
}
