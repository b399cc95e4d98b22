/** A signal that fires when the caller's does, or when the time is up; `end()` frees the timer and the listener. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True once the time was up before the caller's own signal fired. */
  expired(): boolean;
  end(): void;
}

// AbortSignal.any + AbortSignal.timeout would do the same, but keep a timer for every finished request.
export function startDeadline(milliseconds: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
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
    expired: () => expired,
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onAbort);
    },
  };
}
