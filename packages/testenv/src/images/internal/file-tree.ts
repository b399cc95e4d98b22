/**
 * What the layers below a new one have: which folders, and which links. Whoever unpacks a layer does not follow the
 * links of the layers below it: a file at `bin/tool` on top of a system whose `bin` is a link to `usr/bin` would put a
 * new folder in the link's place, and every program of that system would be gone.
 */
import { posix } from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import type { Layer } from './layer.ts';
import type { TarEntry } from './tar-writer.ts';

/** Paths are relative to the root, without `./`. */
export interface FileTree {
  folders: Set<string>;
  /** Where each symbolic link points, as it is written. */
  links: Map<string, string>;
}

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
/** As in the kernel: more links than this on one way are a circle. */
const MOST_LINKS = 40;

/** Reads layers from the lowest to the highest. */
export async function readFileTree(layers: readonly Layer[]): Promise<FileTree> {
  const tree: FileTree = { folders: new Set(), links: new Map() };
  for (const layer of layers) await addLayer(tree, layer);
  return tree;
}

/** The same entries at the places that the tree's links lead to, without the folders that the tree has already. */
export function placeOn(tree: FileTree, entries: readonly TarEntry[]): TarEntry[] {
  return entries.flatMap((entry) => {
    const path = entry.type === 'directory' ? follow(tree, entry.path) : followParent(tree, entry.path);
    if (entry.type === 'directory' && tree.folders.has(path)) return [];
    const linkname = entry.type === 'link' && entry.linkname ? { linkname: followParent(tree, entry.linkname) } : {};
    return [{ ...entry, path, ...linkname }];
  });
}

async function addLayer(tree: FileTree, { mediaType, blob }: Layer): Promise<void> {
  const archive = extract();
  archive.on('entry', ({ name, type, linkname }, content, next) => {
    addEntry(tree, posix.normalize(`/${name}`).slice(1).replace(/\/$/, ''), type, linkname);
    content.on('end', next);
    content.resume();
  });
  const target = archive as unknown as Duplex;
  const decompress = DECOMPRESSORS[mediaType.replace(/.*[+.]/, '')];
  await (decompress ? pipeline(blob.read(), decompress(), target) : pipeline(blob.read(), target));
}

const DECOMPRESSORS: Record<string, () => Duplex> = { gzip: createGunzip, zstd: createZstdDecompress };

function addEntry(tree: FileTree, path: string, type: string | null, linkname: string | null): void {
  const [folder, name] = [posix.dirname(path), posix.basename(path)];
  if (name === OPAQUE) {
    removeBelow(tree, folder === '.' ? '' : `${folder}/`);
    return;
  }
  if (name.startsWith(WHITEOUT)) {
    remove(tree, posix.join(folder, name.slice(WHITEOUT.length)));
    return;
  }
  if (type !== 'directory') remove(tree, path);
  for (let parent = folder; parent !== '.'; parent = posix.dirname(parent)) addFolder(tree, parent);
  if (type === 'directory' && path !== '') addFolder(tree, path);
  if (type === 'symlink') tree.links.set(path, linkname ?? '');
}

function addFolder(tree: FileTree, path: string): void {
  tree.links.delete(path);
  tree.folders.add(path);
}

function remove(tree: FileTree, path: string): void {
  const wasFolder = tree.folders.delete(path);
  tree.links.delete(path);
  if (wasFolder) removeBelow(tree, `${path}/`);
}

function removeBelow({ folders, links }: FileTree, prefix: string): void {
  for (const path of folders) if (path.startsWith(prefix)) folders.delete(path);
  for (const path of links.keys()) if (path.startsWith(prefix)) links.delete(path);
}

/** The way to the folder is followed; the last part is what will be made there. */
function followParent(tree: FileTree, path: string): string {
  return posix.join(follow(tree, posix.dirname(path)), posix.basename(path));
}

function follow({ links }: FileTree, path: string): string {
  let [done, todo] = ['', path.split('/')];
  for (let followed = 0; todo.length > 0; ) {
    const [part, ...rest] = todo as [string, ...string[]];
    const next = posix.join('/', done, part).slice(1);
    const target = links.get(next);
    if (target === undefined || followed === MOST_LINKS) [done, todo] = [next, rest];
    else {
      followed += 1;
      [done, todo] = [target.startsWith('/') ? '' : done, [...target.split('/'), ...rest]];
    }
  }
  return done;
}
