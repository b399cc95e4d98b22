/** Sees that bytes are a whole snapshot of etcd: a database of whole pages, and after it the SHA-256 of these. */
import { createHash } from 'node:crypto';
import { Refusal } from '../refusal.ts';

const DIGEST = 32;
/** What every database of etcd is a multiple of. */
const BLOCK = 512;

export class SnapshotIntegrity {
  readonly #all = createHash('sha256');
  readonly #database = createHash('sha256');
  /** The last bytes so far: they may be the digest, and are no part of the database then. */
  #tail: Buffer = Buffer.alloc(0);
  #size = 0;
  #sha256 = '';

  /** Of all of it; there once it is finished. */
  get sha256(): string {
    return this.#sha256;
  }

  update(chunk: Buffer): void {
    this.#all.update(chunk);
    this.#size += chunk.length;
    const held = Buffer.concat([this.#tail, chunk]);
    const end = Math.max(0, held.length - DIGEST);
    this.#database.update(held.subarray(0, end));
    // A copy: what it is a part of is to go.
    this.#tail = Buffer.from(held.subarray(end));
  }

  /** @throws A refusal, unless it was whole. */
  finish(): void {
    if (this.#size % BLOCK !== DIGEST) {
      throw new Refusal(
        `it has ${this.#size} bytes, which no whole snapshot of etcd has: it is cut off, or another file`,
      );
    }
    if (!this.#database.digest().equals(this.#tail)) {
      throw new Refusal("the snapshot's own digest is not that of its content: it is damaged, or another file");
    }
    this.#sha256 = this.#all.digest('hex');
  }
}

/** The same bytes; fails at their end unless they were a whole snapshot. */
export async function* checked(stream: AsyncIterable<Buffer>, integrity: SnapshotIntegrity): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    integrity.update(chunk);
    yield chunk;
  }
  integrity.finish();
}
