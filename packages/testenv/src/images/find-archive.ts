import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { archiveName } from './archive-name.ts';
import { archiveFolder, type ImageArchive } from './image-archive.ts';

/** The image of that name that was built here last, if it is still in the cache. */
export async function findArchive(name: string): Promise<ImageArchive | undefined> {
  const full = archiveName(name);
  const folder = archiveFolder(full);
  const names = (await readdir(folder).catch(() => [])).filter((file) => /^[0-9a-f]{64}\.tar$/.test(file));
  const files = await Promise.all(
    names.map(async (file) => ({ file, at: (await stat(join(folder, file)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const [newest] = files.toSorted((a, b) => b.at - a.at);
  if (!newest) return undefined;
  return { name: full, digest: `sha256:${newest.file.slice(0, 64)}`, path: join(folder, newest.file) };
}
