/** Content known by its digest. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Descriptor } from './oci.ts';

/** Bytes known by their digest, read only when somebody wants them: a layer is never held in memory. */
export interface Blob {
  /** `sha256:` and 64 hexadecimal digits. */
  digest: string;
  size: number;
  /** All of it, from the start; may be called again. */
  read(): Readable;
}

/** What a digest looks like; what fits can be a part of a path or of an address. */
export const DIGEST = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/** Whether a text is a digest, and so can be a part of a path or of an address. */
export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && DIGEST.test(text);
}

/** The digest of some bytes: `sha256:…`. */
export function sha256(bytes: string | Uint8Array): string {
  return digestOf(bytes, 'sha256:');
}

/** The digest of some bytes, by the algorithm of another digest. */
export function digestOf(bytes: string | Uint8Array, like: string): string {
  const hash = hashFor(like);
  return hash.add(bytes).digest();
}

/** A digest in the making. */
export interface Hash {
  add(bytes: string | Uint8Array): Hash;
  digest(): string;
}

/** By the algorithm of a digest that the content should have. */
export function hashFor(digest: string): Hash {
  const algorithm = digest.slice(0, digest.indexOf(':'));
  const hash = createHash(algorithm);
  const made: Hash = {
    add(bytes) {
      hash.update(bytes);
      return made;
    },
    digest: () => `${algorithm}:${hash.digest('hex')}`,
  };
  return made;
}

/** Content that is in memory. */
export function blobOfBytes(bytes: Uint8Array): Blob {
  return { digest: sha256(bytes), size: bytes.byteLength, read: () => Readable.from([bytes]) };
}

/** A value as JSON. */
export function blobOfJson(value: unknown): Blob {
  return blobOfBytes(Buffer.from(JSON.stringify(value)));
}

/** How a manifest points at content. */
export function descriptorOf(mediaType: string, { digest, size }: Blob): Descriptor {
  return { mediaType, digest, size };
}
