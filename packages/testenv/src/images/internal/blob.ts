import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';

/** Bytes known by their digest, read only when somebody wants them: a layer is never held in memory. */
export interface Blob {
  /** `sha256:` and 64 hexadecimal digits. */
  digest: string;
  size: number;
  read(): Readable;
}

/** Whether a text is a digest, and so can be a part of a path or of an address. */
export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text);
}

export function sha256(bytes: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export async function sha256OfStream(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}

export function blobOfBytes(bytes: Uint8Array): Blob {
  return { digest: sha256(bytes), size: bytes.byteLength, read: () => Readable.from([bytes]) };
}

export function blobOfJson(value: unknown): Blob {
  return blobOfBytes(Buffer.from(JSON.stringify(value)));
}

/** A stretch of a file whose digest is already known: the whole of it unless told. */
export function blobOfFile(file: string, digest: string, size: number, start = 0): Blob {
  return { digest, size, read: () => readStretch(file, start, size) };
}

export function readStretch(file: string, start: number, size: number): Readable {
  if (size === 0) return Readable.from([]);
  return createReadStream(file, { start, end: start + size - 1, highWaterMark: 1024 * 1024 });
}
