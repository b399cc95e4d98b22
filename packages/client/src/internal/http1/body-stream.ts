/** The body of an answer, chunk by chunk, no faster than it is read. */
import { StreamWentQuiet } from '../engine.ts';

/** What the bytes come from. */
export interface Source {
  pause(): void;
  resume(): void;
  destroy(error?: unknown): void;
}

// What may wait to be read before the server is made to wait: a reader that is busy for a moment shouldn't slow it down.
const HIGH_WATER = 1024 * 1024;

export class BodyStream implements AsyncIterableIterator<Buffer> {
  /** Undefined once the answer has ended: the connection may be somebody else's then. */
  #source: Source | undefined;
  readonly #idleTimer: NodeJS.Timeout | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #paused = false;
  #ended = false;
  #error: unknown;
  #reader: { resolve(result: IteratorResult<Buffer>): void; reject(error: unknown): void } | undefined;

  /** @param idle Milliseconds without a byte after which it fails; 0 for never. */
  constructor(source: Source, idle: number) {
    this.#source = source;
    if (idle > 0) this.#idleTimer = setTimeout(() => this.#onQuiet(), idle);
  }

  push(chunk: Buffer): void {
    this.#idleTimer?.refresh();
    if (this.#reader) {
      this.#reader.resolve({ value: chunk, done: false });
      this.#reader = undefined;
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < HIGH_WATER || this.#paused) return;
    this.#paused = true;
    this.#source?.pause();
  }

  end(): void {
    clearTimeout(this.#idleTimer);
    this.#ended = true;
    this.#source = undefined;
    this.#reader?.resolve({ value: undefined, done: true });
    this.#reader = undefined;
  }

  /** What came before the failure is read first. */
  fail(error: unknown): void {
    clearTimeout(this.#idleTimer);
    if (this.#ended) return;
    this.#ended = true;
    this.#source = undefined;
    this.#error = error;
    this.#reader?.reject(error);
    this.#reader = undefined;
  }

  next(): Promise<IteratorResult<Buffer>> {
    const chunk = this.#chunks.shift();
    if (chunk) {
      this.#bytes -= chunk.length;
      if (this.#paused && this.#bytes < HIGH_WATER / 2) this.#resume();
      return Promise.resolve({ value: chunk, done: false });
    }
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** The reader has had enough: the rest is not waited for. */
  return(): Promise<IteratorResult<Buffer>> {
    clearTimeout(this.#idleTimer);
    this.#source?.destroy();
    this.#source = undefined;
    this.#ended = true;
    this.#chunks = [];
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #onQuiet(): void {
    // Silence while we keep the server waiting is ours.
    if (this.#paused) this.#idleTimer?.refresh();
    else this.#source?.destroy(new StreamWentQuiet('nothing came for too long'));
  }

  #resume(): void {
    this.#paused = false;
    this.#idleTimer?.refresh();
    this.#source?.resume();
  }
}
