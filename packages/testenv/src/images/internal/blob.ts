/** Content that lies in files: a stretch of one, and its digest. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Blob } from '@kurator/registry';

export async function sha256OfStream(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}

/** A stretch of a file whose digest is already known: the whole of it unless told. */
export function blobOfFile(file: string, digest: string, size: number, start = 0): Blob {
  return { digest, size, read: () => readStretch(file, start, size) };
}

export function readStretch(file: string, start: number, size: number): Readable {
  if (size === 0) return Readable.from([]);
  return createReadStream(file, { start, end: start + size - 1, highWaterMark: 1024 * 1024 });
}
