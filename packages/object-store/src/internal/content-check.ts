/** Compares what is read with the digest that was kept with it. */
import { createHash, type Hash } from 'node:crypto';
import { ObjectStoreError } from '../error.ts';

/** A digest of the whole, or one of the digests of its parts, as S3 makes it of what is put in parts. */
export type ExpectedDigest = { readonly sha256: string } | { readonly ofParts: string; readonly partSize: number };

/** Sees all bytes in their order. */
export class ContentCheck {
  readonly #expected: ExpectedDigest | undefined;
  #hash: Hash = createHash('sha256');
  readonly #parts: Buffer[] = [];
  /** Bytes that the current part still lacks. */
  #left: number;

  constructor(expected: ExpectedDigest | undefined) {
    this.#expected = expected;
    this.#left = expected && 'partSize' in expected ? expected.partSize : Number.POSITIVE_INFINITY;
  }

  update(chunk: Uint8Array): void {
    if (!this.#expected) return;
    let rest = chunk;
    while (rest.length >= this.#left) {
      this.#hash.update(rest.subarray(0, this.#left));
      rest = rest.subarray(this.#left);
      this.#endPart();
    }
    this.#hash.update(rest);
    this.#left -= rest.length;
  }

  #endPart(): void {
    if (!this.#expected || !('partSize' in this.#expected)) return;
    this.#parts.push(this.#hash.digest());
    this.#hash = createHash('sha256');
    this.#left = this.#expected.partSize;
  }

  /** Throws if it is not what was expected. */
  finish(what: string, key: string): void {
    const expected = this.#expected;
    if (!expected) return;
    const matches =
      'sha256' in expected
        ? this.#hash.digest('hex') === expected.sha256
        : this.#digestOfParts(expected) === expected.ofParts;
    if (matches) return;
    throw new ObjectStoreError(
      'KUR_STORE_DIGEST',
      `${what}: the content is not the one that was put: its SHA-256 differs. Do not use it; take another copy.`,
      { key },
    );
  }

  #digestOfParts({ partSize }: { readonly partSize: number }): string {
    if (this.#left < partSize) this.#endPart();
    const all = createHash('sha256');
    for (const digest of this.#parts) all.update(digest);
    return `${all.digest('base64')}-${this.#parts.length}`;
  }
}
