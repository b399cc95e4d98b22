import type { Stats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { TestenvError } from '../../error.ts';
import type { Reporter } from '../../reporter.ts';
import { readStretch } from './blob.ts';
import type { TarEntry } from './tar-writer.ts';

export interface FolderEntriesOptions {
  /** Where in the image the folder's content goes, relative to its root; empty for the root itself. */
  at: string;
  uid: number;
  gid: number;
  reporter: Reporter;
}

/**
 * Everything below a folder as tar entries, sorted by name so that the same folder gives the same archive. The mode of
 * the folder itself does not count: only its content was asked for, and temporary folders are closed to others.
 */
export async function folderEntries(folder: string, options: FolderEntriesOptions): Promise<TarEntry[]> {
  const entries: TarEntry[] = [];
  const hardLinks = new Map<string, string>();
  const walk = { ...options, entries, hardLinks };
  if (options.at !== '') entries.push(entry(walk, options.at, 'directory', 0o755));
  await addContent(folder, options.at, walk);
  return entries;
}

interface Walk extends FolderEntriesOptions {
  entries: TarEntry[];
  /** Device and inode of a file with several names, and the first of them. */
  hardLinks: Map<string, string>;
}

async function addContent(folder: string, path: string, walk: Walk): Promise<void> {
  for (const name of (await readdir(folder)).sort(byCodeUnit)) {
    checkName(folder, name);
    await addItem(join(folder, name), path === '' ? name : `${path}/${name}`, walk);
  }
}

async function addItem(source: string, path: string, walk: Walk): Promise<void> {
  const stats = await lstat(source);
  if (stats.isDirectory()) {
    walk.entries.push(entry(walk, path, 'directory', stats.mode));
    await addContent(source, path, walk);
  } else if (stats.isSocket()) walk.reporter.info(`${source} is a socket, which can't be part of an image: left out.`);
  else walk.entries.push(await itemEntry(source, path, stats, walk));
}

async function itemEntry(source: string, path: string, stats: Stats, walk: Walk): Promise<TarEntry> {
  const earlier = stats.nlink > 1 ? remember(walk.hardLinks, stats, path) : undefined;
  if (earlier) return { ...entry(walk, path, 'link', stats.mode), linkname: earlier };
  if (stats.isSymbolicLink()) return { ...entry(walk, path, 'symlink', 0o777), linkname: await readlink(source) };
  if (stats.isFIFO()) return entry(walk, path, 'fifo', stats.mode);
  return stats.isFile() ? file(walk, source, path, stats) : device(walk, path, stats);
}

function entry({ uid, gid }: Walk, path: string, type: TarEntry['type'], mode: number): TarEntry {
  return { path, type, mode: mode & 0o7777, uid, gid };
}

function file(walk: Walk, source: string, path: string, { mode, size }: Stats): TarEntry {
  return { ...entry(walk, path, 'file', mode), size, content: () => readStretch(source, 0, size) };
}

function device(walk: Walk, path: string, stats: Stats): TarEntry {
  const type = stats.isBlockDevice() ? 'block-device' : 'character-device';
  return { ...entry(walk, path, type, stats.mode), ...deviceNumbers(stats.rdev) };
}

/** Linux packs both numbers into one; Node gives the packed one. */
function deviceNumbers(packed: number): { devmajor: number; devminor: number } {
  return { devmajor: (packed >>> 8) & 0xfff, devminor: (packed & 0xff) | ((packed >>> 12) & 0xfff00) };
}

function remember(hardLinks: Map<string, string>, { dev, ino }: Stats, path: string): string | undefined {
  const key = `${dev}:${ino}`;
  const earlier = hardLinks.get(key);
  if (earlier === undefined) hardLinks.set(key, path);
  return earlier;
}

function checkName(folder: string, name: string): void {
  if (name.startsWith('.wh.')) {
    throw refused(join(folder, name), 'has a name that means "deleted" in an image', 'Rename it: `.wh.` is reserved.');
  }
  if (name.includes('\uFFFD')) {
    throw refused(join(folder, name), 'has a name that is not UTF-8', 'Rename it.');
  }
}

function refused(path: string, what: string, remedy: string): TestenvError {
  return new TestenvError('KUR_TESTENV_IMAGE_SOURCE', `${path} ${what}.`, { remedy });
}

/** Not localeCompare: the order must not depend on the machine's language. */
function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
