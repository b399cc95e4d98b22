/** What a folder looks like, for comparing two: modes, contents, where links point, and which names are one file. */
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

export async function folderSnapshot(folder: string): Promise<Record<string, string>> {
  const snapshot: Record<string, string> = {};
  const names = new Map<number, string>();
  for (const path of (await readdir(folder, { recursive: true })).sort()) {
    const stats = await lstat(join(folder, path));
    const mode = (stats.mode & 0o7777).toString(8);
    const first = names.get(stats.ino) ?? path;
    names.set(stats.ino, first);
    if (stats.isSymbolicLink()) snapshot[path] = `link to ${await readlink(join(folder, path))}`;
    else if (stats.isDirectory()) snapshot[path] = `folder ${mode}`;
    else if (stats.isFile()) snapshot[path] = `file ${mode} ${first} ${await readFile(join(folder, path), 'base64')}`;
    else snapshot[path] = `other ${mode}`;
  }
  return snapshot;
}
