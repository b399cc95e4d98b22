/**
 * Sends one thing after the other, and tries again while the server can't be reached. What comes while it is full is
 * refused: memory is worth more than events.
 */
import { hasCode } from '@kurator/client';
import { type Clock, pause } from '../../clock.ts';

export interface OutboxOptions<T> {
  send(item: T, signal: AbortSignal): Promise<void>;
  /** The server refused it, or it was tried often enough. */
  onFailed(item: T, error: unknown): void;
  /** 1000 unless given. */
  readonly most?: number;
  readonly random?: () => number;
}

const MOST = 1000;
const TRIES = 12;
const RETRY_AFTER = 10_000;

export class Outbox<T extends { queued: boolean }> {
  readonly #clock: Clock;
  readonly #options: OutboxOptions<T>;
  readonly #items: T[] = [];
  readonly #closing = new AbortController();
  #working: Promise<void> | undefined;

  constructor(clock: Clock, options: OutboxOptions<T>) {
    this.#clock = clock;
    this.#options = options;
  }

  /** False when there is no room. */
  add(item: T): boolean {
    if (item.queued) return true;
    if (this.#closing.signal.aborted || this.#items.length >= (this.#options.most ?? MOST)) return false;
    item.queued = true;
    this.#items.push(item);
    this.#working ??= this.#work();
    return true;
  }

  get busy(): boolean {
    return this.#working !== undefined;
  }

  /** Resolves when nothing waits any more, or the signal fires. */
  async emptied(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    const given = Promise.withResolvers<void>();
    const giveUp = () => given.resolve();
    signal?.addEventListener('abort', giveUp, { once: true });
    while (this.#working && !signal?.aborted) await Promise.race([this.#working, given.promise]);
    signal?.removeEventListener('abort', giveUp);
  }

  /** Breaks off what is under way. */
  close(): void {
    this.#items.length = 0;
    this.#closing.abort(new Error('the outbox was closed'));
  }

  async #work(): Promise<void> {
    // Not in the same breath: whoever adds has more to do, and may add more.
    await Promise.resolve();
    for (let item = this.#items.shift(); item; item = this.#items.shift()) {
      try {
        await this.#deliver(item);
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#options.onFailed(item, error);
      }
    }
    this.#working = undefined;
  }

  async #deliver(item: T): Promise<void> {
    const { send, random = Math.random } = this.#options;
    const { signal } = this.#closing;
    for (let tried = 1; ; tried++) {
      // What happens from now on is not in what is sent now.
      item.queued = false;
      try {
        return await send(item, signal);
      } catch (error) {
        if (tried >= TRIES || signal.aborted || !mayPass(error)) throw error;
      }
      item.queued = true;
      await pause(this.#clock, RETRY_AFTER * (0.75 + random() * 0.5), signal);
    }
  }
}

const passing = [
  'KUR_CLIENT_UNREACHABLE',
  'KUR_CLIENT_TIMEOUT',
  'KUR_CLIENT_SERVER',
  'KUR_CLIENT_TOO_MANY_REQUESTS',
  'KUR_CLIENT_BAD_RESPONSE',
] as const;

function mayPass(error: unknown): boolean {
  return passing.some((code) => hasCode(error, code));
}
