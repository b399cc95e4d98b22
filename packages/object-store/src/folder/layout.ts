/** Where things are in the folder, and that nothing leads out of it. */
import { mkdir, open, realpath, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { ObjectStoreError } from '../error.ts';

/** After an object's name, so that `a` and `a/b` can both be objects. */
export const SUFFIX = '.object';
/** What is ours beside the objects. */
export const PRIVATE = '.kurator';

/** The paths of one store. */
export class Layout {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** The folder must be there: one that was made because a volume is not mounted would take backups that nobody finds. */
  static async open(folder: string): Promise<Layout> {
    try {
      const layout = new Layout(await realpath(folder));
      for (const made of [layout.temporary(), layout.uploads()]) await mkdir(made, { recursive: true });
      return layout;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      throw noFolder(folder, error);
    }
  }

  /** Where an object's file is. */
  object(key: string): string {
    const folders = key.split('/').slice(0, -1);
    if (folders[0] === PRIVATE || key === PRIVATE)
      throw new ObjectStoreError(
        'KUR_STORE_KEY',
        `The key ${key} begins with ${PRIVATE}, which a folder keeps for itself.`,
        {
          key,
        },
      );
    if (folders.some((name) => name.endsWith(SUFFIX)))
      throw new ObjectStoreError(
        'KUR_STORE_KEY',
        `The key ${key} has a part before the last that ends in ${SUFFIX}: call it otherwise.`,
        {
          key,
        },
      );
    return join(this.root, `${key}${SUFFIX}`);
  }

  temporary(...names: string[]): string {
    return join(this.root, PRIVATE, 'temporary', ...names);
  }

  uploads(...names: string[]): string {
    return join(this.root, PRIVATE, 'uploads', ...names);
  }

  get lock(): string {
    return join(this.root, PRIVATE, 'lock');
  }

  /** Refuses a path that goes through a symbolic link; says whether its folder is there. */
  async expectInside(path: string, key: string): Promise<boolean> {
    const folder = dirname(path);
    const real = await realpath(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
    if (real === undefined) return false;
    if (real === folder) return true;
    throw new ObjectStoreError(
      'KUR_STORE_KEY',
      `The key ${key} leads through a symbolic link: ${relative(this.root, folder)} is in ${real}. Remove the link.`,
      { key },
    );
  }

  /** Makes the folders that a path needs, and gives those that have changed by it. */
  async makeFolders(path: string): Promise<string[]> {
    const folder = dirname(path);
    const first = await mkdir(folder, { recursive: true });
    if (first === undefined) return [folder];
    const changed = [dirname(first)];
    for (const name of relative(dirname(first), folder).split(sep)) changed.push(join(changed.at(-1) ?? '', name));
    return changed;
  }

  /** Removes the folders that are empty now, from the innermost, and gives the first that stays. */
  async removeEmptyFolders(path: string): Promise<string> {
    let folder = dirname(path);
    for (; folder !== this.root; folder = dirname(folder)) {
      try {
        await rmdir(folder);
      } catch {
        break;
      }
    }
    return folder;
  }
}

function noFolder(folder: string, cause: unknown): ObjectStoreError {
  return new ObjectStoreError('KUR_STORE_NO_BUCKET', `There is no folder ${folder}: mount the volume, or create it.`, {
    cause,
  });
}

/** Makes sure that names in a folder are on the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
