/**
 * An object is one file: its content, then what is known of it as JSON, then that JSON's length and eight letters. So one
 * rename puts all of it, and a file that was cut short is seen.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ObjectStoreError } from '../error.ts';
import type { ObjectInfo } from '../object-store.ts';

const MAGIC = Buffer.from('KURATOR1');
const TAIL = 4 + MAGIC.length;
/** More than keys and metadata can take. */
const MOST_KNOWN = 8192;
const BLOCK = 256 * 1024;

/** What is kept with the content. */
export interface Known {
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
  /** Which call of `put` it is from. */
  readonly write: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What comes after the content. The same for the same object, to the byte. */
export function footerOf({ key, size, sha256, write, metadata }: Known): Buffer {
  const sorted = Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)));
  const json = Buffer.from(JSON.stringify({ key, size, sha256, write, metadata: sorted }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([json, length, MAGIC]);
}

/** Writes all of it: the system may write less than it is given, as on a disk that has just become full, and only says so. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/** An object whose file is open: it stays the same one, whatever happens to its name. */
export interface OpenObject {
  readonly info: ObjectInfo;
  readonly write: string;
  readonly handle: FileHandle;
}

/** Opens an object's file; nothing if there is none. */
export async function openObject(path: string, key: string): Promise<OpenObject | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const { size, mtime } = await handle.stat();
    const known = await readKnown(handle, size);
    if (known?.key !== key) throw damaged(path, key);
    const { sha256, metadata, write } = known;
    const info = { key, size: known.size, etag: sha256, lastModified: mtime, sha256, metadata };
    return { info, write, handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readKnown(handle: FileHandle, size: number): Promise<Known | undefined> {
  const end = Buffer.alloc(Math.min(size, MOST_KNOWN));
  const { bytesRead } = await handle.read(end, 0, end.length, size - end.length);
  if (bytesRead !== end.length || end.length < TAIL || !end.subarray(-MAGIC.length).equals(MAGIC)) return undefined;
  const length = end.readUInt32BE(end.length - TAIL);
  if (length > end.length - TAIL) return undefined;
  try {
    const known: Known = JSON.parse(end.toString('utf8', end.length - TAIL - length, end.length - TAIL));
    return known.size === size - TAIL - length ? known : undefined;
  } catch {
    return undefined;
  }
}

function damaged(path: string, key: string): ObjectStoreError {
  return new ObjectStoreError(
    'KUR_STORE_BAD_RESPONSE',
    `${path} is damaged, or was not put there by this package: it does not end as an object does. Take another copy, or remove it.`,
    { key },
  );
}

/** The bytes from `start` to `last`, included. */
export async function* readBytes(
  handle: FileHandle,
  start: number,
  last: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  for (let at = start; at <= last; ) {
    signal?.throwIfAborted();
    const block = Buffer.allocUnsafeSlow(Math.min(BLOCK, last - at + 1));
    const { bytesRead } = await handle.read(block, 0, block.length, at);
    if (bytesRead === 0)
      throw new ObjectStoreError('KUR_STORE_BAD_RESPONSE', 'The file became shorter while it was read.');
    at += bytesRead;
    yield block.subarray(0, bytesRead);
  }
}
