/** The time that a request has, and its caller's wish to go on; `end()` frees the timer and the listener. */
export interface Deadline {
  /** Fires when the caller's signal does, or when the time is up. Made when first asked for: most requests don't need one. */
  readonly signal: AbortSignal;
  readonly over: boolean;
  /** Why it is over; undefined before. */
  readonly reason: unknown;
  /** All the time there was, in milliseconds. */
  readonly length: number;
  /** Milliseconds until the time is up. */
  left(): number;
  /** True once the time was up before the caller's own signal fired. */
  expired(): boolean;
  /** Calls it when it is over; not if it is over already. Returns how to take it back. */
  whenOver(callback: (reason: unknown) => void): () => void;
  /** Waits for something that doesn't know the deadline, but no longer than it allows. */
  race<T>(work: Promise<T>): Promise<T>;
  end(): void;
}

// AbortSignal.any + AbortSignal.timeout would do the same, but keep a timer for every finished request.
export function startDeadline(milliseconds: number, outer: AbortSignal | undefined): Deadline {
  return new RunningDeadline(milliseconds, outer);
}

class RunningDeadline implements Deadline {
  readonly length: number;
  readonly #outer: AbortSignal | undefined;
  readonly #start = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #callbacks = new Set<(reason: unknown) => void>();
  #controller: AbortController | undefined;
  #expired = false;
  #over = false;
  #reason: unknown;

  constructor(milliseconds: number, outer: AbortSignal | undefined) {
    this.length = milliseconds;
    this.#outer = outer;
    this.#timer = setTimeout(this.#onTime, milliseconds);
    if (outer?.aborted) this.#onAbort();
    else outer?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#over) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  get over(): boolean {
    return this.#over;
  }

  get reason(): unknown {
    return this.#reason;
  }

  left(): number {
    return this.#start + this.length - performance.now();
  }

  expired(): boolean {
    return this.#expired;
  }

  whenOver(callback: (reason: unknown) => void): () => void {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  async race<T>(work: Promise<T>): Promise<T> {
    if (this.#over) throw this.#reason;
    const { promise, reject } = Promise.withResolvers<never>();
    const forget = this.whenOver(reject);
    try {
      return await Promise.race([work, promise]);
    } finally {
      forget();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onTime = (): void => {
    this.#expired = true;
    this.#finish(new DOMException('The deadline has passed', 'TimeoutError'));
  };

  readonly #onAbort = (): void => this.#finish(this.#outer?.reason);

  #finish(reason: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const callback of this.#callbacks) callback(reason);
  }
}
