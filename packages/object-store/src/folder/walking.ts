/** Goes through the objects of a folder in the order of S3. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compareKeys } from '../internal/key.ts';
import { PRIVATE, SUFFIX } from './layout.ts';

/** What is walked through. */
export interface Walk {
  readonly root: string;
  readonly prefix: string;
  readonly startAfter: string;
  readonly isGrouped: boolean;
  readonly signal: AbortSignal | undefined;
}

/** A key, or with `isGrouped` also a prefix, which ends in `/`. */
export async function* walk(plan: Walk, folder = ''): AsyncGenerator<string> {
  plan.signal?.throwIfAborted();
  for (const name of await namesIn(plan.root, folder)) {
    const path = `${folder}${name}`;
    if (!path.endsWith('/')) {
      if (path.startsWith(plan.prefix) && isAfter(path, plan.startAfter)) yield path;
    } else if (canHold(path, plan)) {
      if (plan.isGrouped && path.startsWith(plan.prefix) && path !== plan.prefix) yield* groupOf(plan, path);
      else yield* walk(plan, path);
    }
  }
}

/** A folder counts if there is something in it. */
async function* groupOf(plan: Walk, folder: string): AsyncGenerator<string> {
  for await (const _key of walk({ ...plan, isGrouped: false }, folder)) {
    yield folder;
    return;
  }
}

/** The names of objects, and those of folders with a `/`: sorted so that all keys are. */
async function namesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    // Removed since it was seen.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = entries.flatMap((entry) => {
    if (entry.isFile()) return entry.name.endsWith(SUFFIX) ? [entry.name.slice(0, -SUFFIX.length)] : [];
    return entry.isDirectory() && !(folder === '' && entry.name === PRIVATE) ? [`${entry.name}/`] : [];
  });
  return names.sort(compareKeys);
}

function canHold(folder: string, { prefix, startAfter }: Walk): boolean {
  const hasPrefix = folder.startsWith(prefix) || prefix.startsWith(folder);
  return hasPrefix && (startAfter.startsWith(folder) || isAfter(folder, startAfter));
}

function isAfter(path: string, startAfter: string): boolean {
  return startAfter === '' || compareKeys(path, startAfter) > 0;
}
