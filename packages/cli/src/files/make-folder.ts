/** Makes a folder and those above it, one by one: what `mkdir` says when asked for all at once hides a read-only disk. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeError } from './write-error.ts';

/** @returns The topmost folder that was made; undefined if the folder was there. */
export async function makeFolder(folder: string): Promise<string | undefined> {
  const failure = await attempt(folder);
  if (failure === undefined) return folder;
  if (failure.code === 'EEXIST') return (await isFolder(folder)) ? undefined : refuse(folder, failure);
  if (failure.code !== 'ENOENT' || dirname(folder) === folder) return refuse(folder, failure);
  const first = await makeFolder(dirname(folder));
  const again = await attempt(folder);
  if (again && again.code !== 'EEXIST') return refuse(folder, again);
  return first ?? folder;
}

async function attempt(folder: string): Promise<NodeJS.ErrnoException | undefined> {
  return await mkdir(folder).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function refuse(folder: string, error: NodeJS.ErrnoException): never {
  throw writeError(folder, error);
}
