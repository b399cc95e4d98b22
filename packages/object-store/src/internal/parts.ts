/** Cuts what is put into parts that fit into memory, and knows the digests of each and of all. */
import { createHash, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ObjectStoreError } from '../error.ts';
import type { Body } from '../object-store.ts';
import { unlessAborted } from './waiting.ts';

/** A part, the first of which has number 1. */
export interface Part {
  readonly number: number;
  readonly bytes: Uint8Array;
  /** In hex. */
  readonly sha256: string;
  readonly isLast: boolean;
}

/** The parts of a body in their order; there is always at least one, which may be empty. */
export class Parts {
  readonly #body: Body;
  readonly #blocks: AsyncGenerator<Uint8Array>;
  readonly #whole = createHash('sha256');
  #next: IteratorResult<Uint8Array> | undefined;
  #number = 0;
  #size = 0;
  #digest: string | undefined;

  constructor(body: Body, partSize: number) {
    this.#body = body;
    this.#blocks = body instanceof Uint8Array ? slices(body, partSize) : filled(body, partSize);
  }

  /** Bytes of all parts so far. */
  get size(): number {
    return this.#size;
  }

  /** SHA-256 of all parts, in hex, once the last one has been given out. */
  get sha256(): string | undefined {
    return this.#digest;
  }

  /** The next part; nothing after the last. */
  async next(signal?: AbortSignal): Promise<Part | undefined> {
    if (this.#digest !== undefined) return undefined;
    const { value, done } = this.#next ?? (await unlessAborted(this.#blocks.next(), signal));
    const bytes: Uint8Array = done ? new Uint8Array(0) : value;
    this.#next = done ? { value: undefined, done } : await unlessAborted(this.#blocks.next(), signal);
    const isLast = this.#next.done === true;
    this.#number += 1;
    this.#size += bytes.length;
    const isAlone = isLast && this.#number === 1;
    const sha256 = hash('sha256', bytes, 'hex');
    // One part is all of it: no need to digest it twice.
    if (!isAlone) this.#whole.update(bytes);
    if (isLast) this.#digest = isAlone ? sha256 : this.#whole.digest('hex');
    return { number: this.#number, bytes, sha256, isLast };
  }

  /** Lets go of the source, if it was not read to its end. */
  close(): void {
    if (this.#digest !== undefined) return;
    if (this.#body instanceof Readable) this.#body.destroy();
    // Not waited for: a source that hangs would hold us too.
    this.#blocks.return(undefined).catch(() => undefined);
  }
}

async function* slices(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

/** Copies, because a source may use its buffers again. */
async function* filled(body: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let block: Buffer = Buffer.allocUnsafeSlow(Math.min(size, 64 * 1024));
  let length = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array))
      throw new ObjectStoreError('KUR_STORE_OPTION', 'The body must give bytes: a stream of text or objects does not.');
    let from = 0;
    while (from < chunk.length) {
      if (length === block.length) block = grown(block, size);
      const taken = Math.min(chunk.length - from, block.length - length);
      block.set(chunk.subarray(from, from + taken), length);
      from += taken;
      length += taken;
      if (length === size) {
        yield block;
        block = Buffer.allocUnsafeSlow(size);
        length = 0;
      }
    }
  }
  if (length > 0) yield block.subarray(0, length);
}

function grown(block: Buffer, most: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(block.length * 4, most));
  block.copy(larger);
  return larger;
}
