/**
 * Hears when a source below a folder is saved. Folders are watched, not files: editors put a new file in the place of the
 * old, which a watch of the file would miss (Node's recursive watch on Linux is one of files).
 */
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join, relative } from 'node:path';

/** Editors write a file in several steps, and several files at once. */
const SETTLE = 50;

/** @returns How to stop. */
export function watchSources(root: string, onSaved: (path: string) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const look = (folder: string) => {
    if (watchers.has(folder)) return;
    const watcher = watch(folder, (_, name) => {
      if (name === null) return;
      for (const each of foldersIn(folder)) look(each);
      if (isSource(name)) saved(relative(root, join(folder, name)));
    });
    // A folder that is gone has nothing more to say.
    const forget = () => {
      watcher.close();
      watchers.delete(folder);
    };
    watchers.set(folder, watcher.once('error', forget));
    for (const each of foldersIn(folder)) look(each);
  };
  const saved = (path: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => onSaved(path), SETTLE);
  };
  look(root);
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

/** Tests and half-written files are none. */
function isSource(name: string): boolean {
  return /\.(ts|mts|js|mjs|json)$/.test(name) && !/\.test\.\w+$/.test(name);
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
      .map(({ name }) => join(folder, name));
  } catch {
    // It went while we looked.
    return [];
  }
}
