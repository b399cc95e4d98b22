/**
 * Unpacked layers, by chain ID, in one folder for all clusters of a user. Nothing is in it but what containerd unpacked, and
 * compared with the digest that the image gives, on a machine that nobody else is on. Nodes see the folder read-only. A layer
 * that a living process uses stays; of the others those go first that were not used longest.
 *
 *   CHAIN/fs      the files, as overlayfs wants them
 *   CHAIN/size    bytes that they came from
 *   CHAIN/users/  one file for each process that uses them, called by its owner token
 */
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../internal/run.ts';
import { isAlive, ownerToken, parseOwner } from '../process/owner.ts';

export interface LayerStore {
  readonly folder: string;
  /** Whether it has a layer; from then on the layer stays until `release`, or until this process ends. */
  use(chainId: string): Promise<boolean>;
  /** Moves unpacked files in, whole or not at all; of several that do so at once the first one counts. */
  add(chainId: string, files: string, size: number): Promise<void>;
  /** Removes what was not used longest, until all that is left is no larger than it may be. */
  trim(): Promise<void>;
  /** Nothing is used by this process any more. */
  release(): Promise<void>;
}

export interface LayerStoreOptions {
  readonly folder: string;
  /** Bytes. */
  readonly limit: number;
}

export async function openLayerStore({ folder, limit }: LayerStoreOptions): Promise<LayerStore> {
  const drafts = join(folder, 'drafts');
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  const me = ownerToken();
  const used = new Set<string>();
  const pathOf = (chainId: string) => join(folder, nameOf(chainId));

  return {
    folder,
    async use(chainId) {
      const path = pathOf(chainId);
      const there = await writeFile(join(path, 'users', me), '').then(
        () => true,
        () => false,
      );
      if (!there) return false;
      used.add(path);
      const now = new Date();
      await utimes(join(path, 'size'), now, now).catch(() => {});
      return true;
    },
    async add(chainId, files, size) {
      const draft = join(drafts, ownerToken());
      try {
        await mkdir(join(draft, 'users'), { recursive: true });
        await writeFile(join(draft, 'size'), String(size));
        // Not copied where that fails: a copy may lose what overlayfs says by attributes.
        await rename(files, join(draft, 'fs'));
        // A name must not promise what a power cut has kept from the disk.
        await run('sync', ['-f', draft]);
        await rename(draft, pathOf(chainId)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
        });
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
    },
    async trim() {
      await sweep(drafts);
      const names = (await readdir(folder)).filter((name) => NAME.test(name));
      const layers = await Promise.all(names.map((name) => layerAt(join(folder, name))));
      let total = 0;
      for (const { path, size } of layers.sort((a, b) => b.usedAt - a.usedAt)) {
        total += size;
        if (total > limit && (await removeUnused(path, join(drafts, ownerToken())))) total -= size;
      }
    },
    async release() {
      await Promise.all([...used].map((path) => rm(join(path, 'users', me), { force: true })));
      used.clear();
    },
  };
}

/** What machines call a layer's folder, below where they see the store. */
export function nameOf(chainId: string): string {
  return chainId.replace(':', '-');
}

const NAME = /^sha\d+-[0-9a-f]+$/;

async function layerAt(path: string): Promise<{ path: string; size: number; usedAt: number }> {
  const file = join(path, 'size');
  const [text, stats] = await Promise.all([readFile(file, 'utf8').catch(() => '0'), stat(file).catch(() => undefined)]);
  return { path, size: Number(text), usedAt: stats?.mtimeMs ?? 0 };
}

/**
 * Takes a layer's name away first: whoever begins to use it after that finds none, and who began before that is seen
 * there, and gets it back.
 */
async function removeUnused(path: string, aside: string): Promise<boolean> {
  if (await isUsed(path)) return false;
  await rename(path, aside);
  if (await isUsed(aside)) {
    // Another of that name may have come by now: then that one is it.
    await rename(aside, path).catch(() => {});
    return false;
  }
  await rm(aside, { recursive: true, force: true });
  return true;
}

async function isUsed(path: string): Promise<boolean> {
  const users = (await readdir(join(path, 'users')).catch(() => [])).map(parseOwner);
  return users.some((owner) => owner !== undefined && isAlive(owner) !== false);
}

/** What processes that are gone left. */
async function sweep(drafts: string): Promise<void> {
  for (const name of await readdir(drafts)) {
    const owner = parseOwner(name);
    if (owner && isAlive(owner) === false) await rm(join(drafts, name), { recursive: true, force: true });
  }
}
