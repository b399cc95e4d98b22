/** Folders that go when the test ends, one of them in the place of the user's cache. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-images-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes the image cache an empty folder for the rest of the test, and gives its path. */
export async function temporaryCache(): Promise<string> {
  const folder = await temporaryFolder();
  vi.stubEnv('XDG_CACHE_HOME', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return join(folder, 'kurator', 'images');
}

/** Every file below a folder, relative to it; none if the folder is not there. */
export async function filesBelow(folder: string): Promise<string[]> {
  const items = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return items.filter((item) => item.isFile()).map((item) => join(item.parentPath, item.name).slice(folder.length + 1));
}
