/** Unpacks an archive that a container made, which is a stranger: it may try to write where it should not. */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Header } from 'tar-stream';
import { ClientError } from '../../error.ts';

/** Entries below `name` in the archive become files and folders below `target`; links and devices are left out. */
export async function unpack(archive: Readable, name: string, target: string): Promise<void> {
  const { extract } = await import('tar-stream');
  const extractor = extract();
  const writing = (async () => {
    for await (const entry of extractor) {
      await write(entry as unknown as Readable & { header: Header }, placeOf(entry.header.name, name, target));
    }
  })();
  // The first of the two to fail is the one to tell about; the other then fails because of it.
  await Promise.all([
    pipeline(archive, extractor as unknown as NodeJS.WritableStream),
    writing.catch((error: Error) => {
      extractor.destroy(error);
      throw error;
    }),
  ]);
}

async function write(entry: Readable & { header: Header }, place: string): Promise<void> {
  const { type, mode = 0o644 } = entry.header;
  if (type === 'directory') await mkdir(place, { recursive: true });
  if (type !== 'file') {
    entry.resume();
    return;
  }
  await mkdir(dirname(place), { recursive: true });
  await pipeline(entry, createWriteStream(place, { mode: mode & 0o777 }));
}

/** Where an entry goes. Since no link is ever made, a path without dot-dot can't lead out of `target`. */
export function placeOf(entryName: string, name: string, target: string): string {
  const parts = entryName.split('/').filter((part) => part !== '' && part !== '.');
  if (entryName.startsWith('/') || parts.includes('..') || (name !== '.' && parts[0] !== name)) {
    throw new ClientError('KUR_CLIENT_BAD_RESPONSE', `the container's archive wants to write "${entryName}": refused`);
  }
  return join(target, ...(name === '.' ? parts : parts.slice(1)));
}
