/**
 * A folder for what a build makes on the way: it goes when the build ends, well or badly, and what a killed process
 * left behind is swept by the next build.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../folders.ts';
import { mapNoSpace } from '../../internal/disk-space.ts';
import { isAlive, ownerToken, parseOwner } from '../../process/owner.ts';

/** Runs `work` with a new empty folder on the cache's file system, so that results can be renamed into the cache. */
export async function inWorkspace<T>(purpose: string, work: (folder: string) => Promise<T>): Promise<T> {
  const parent = cacheFolder('images', 'tmp');
  await mkdir(parent, { recursive: true });
  await sweep(parent);
  const folder = join(parent, ownerToken());
  await mkdir(folder);
  try {
    return await work(folder);
  } catch (error) {
    throw mapNoSpace(error, purpose);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes files and folders named by {@link ownerToken} whose process is gone. */
export async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = parseOwner(name);
    if (!owner || isAlive(owner) !== false) continue;
    // Another process may be sweeping the same: whoever is last finishes it.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}
