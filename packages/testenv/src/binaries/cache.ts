/**
 * The cache of programs: one folder an entry, which is there as a whole or not at all. An entry is made in a temporary
 * folder beside it, tried, written through to the disk and renamed. What a killed process left is swept by the next.
 */
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TestenvError } from '../error.ts';
import { withLock } from '../internal/lock.ts';
import { isAlive, type Owner, ownerToken, parseOwner } from '../process/owner.ts';
import type { Reporter } from '../reporter.ts';

/** How an entry is made and how one can tell that it is good. */
export interface EntryRecipe {
  /** The entry's folder name: everything that makes it differ from another must be in it. */
  readonly name: string;
  /** What the entry is, in words for a person: `Kubernetes 1.36.3`. */
  readonly title: string;
  /** Fills the empty folder. */
  make(folder: string): Promise<void>;
  /** Throws `KUR_TESTENV_BINARY_BROKEN` where the folder's content does not work. */
  check(folder: string): Promise<void>;
}

/** Where the cache is, and who wants to hear about it. */
export interface CacheContext {
  readonly folder: string;
  readonly reporter: Reporter;
  readonly signal?: AbortSignal | undefined;
}

/** The entry's folder if it is there and works. */
export async function findEntry(
  context: CacheContext,
  recipe: Pick<EntryRecipe, 'name' | 'check'>,
): Promise<string | undefined> {
  const entry = join(context.folder, recipe.name);
  if (!(await isFolder(entry))) return undefined;
  try {
    await recipe.check(entry);
    return entry;
  } catch (error) {
    if (!isBroken(error)) throw error;
    context.reporter.verbose(`The cached ${recipe.name} can't be used: ${error.message}`);
    return undefined;
  }
}

/** The entry's folder, made now if need be; of several processes that ask at once, one makes it. */
export async function obtainEntry(context: CacheContext, recipe: EntryRecipe): Promise<string> {
  const found = await findEntry(context, recipe);
  if (found) return found;
  const wait = waitReport(recipe.title, context.reporter);
  const makeUnlessMade = async () => {
    wait.end();
    return (await findEntry(context, recipe)) ?? (await makeEntry(context, recipe));
  };
  const lock = join(context.folder, 'locks', recipe.name);
  return await withLock(lock, makeUnlessMade, { signal: context.signal, onWait: wait.update });
}

async function makeEntry({ folder, reporter, signal }: CacheContext, recipe: EntryRecipe): Promise<string> {
  await sweep(folder, reporter);
  const entry = join(folder, recipe.name);
  const temporary = temporaryName(entry);
  if (await isFolder(entry)) reporter.info(`The cached ${recipe.title} does not work any more and is made again.`);
  await mkdir(temporary, { recursive: true });
  try {
    await recipe.make(temporary);
    await recipe.check(temporary);
    signal?.throwIfAborted();
    await writeThrough(temporary);
    await removeUnusable(entry);
    await rename(temporary, entry);
    await syncPath(folder);
    return entry;
  } finally {
    await removeTree(temporary);
  }
}

/** Renamed first: whoever looks meanwhile finds a whole entry or none, never one that is being deleted. */
async function removeUnusable(entry: string): Promise<void> {
  if (!(await isFolder(entry))) return;
  const doomed = temporaryName(entry);
  await rename(entry, doomed);
  await removeTree(doomed);
}

/** Removes temporary folders whose makers are dead, of whichever entry. */
async function sweep(folder: string, reporter: Reporter): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = parseOwner(name.split(TEMPORARY)[1] ?? '');
    if (!owner || isAlive(owner) !== false) continue;
    reporter.verbose(`Removing ${name}, which a process that is gone left unfinished.`);
    // Should it fail, the entry can be made all the same, and the next sweep tries again.
    await removeTree(join(folder, name)).catch(() => {});
  }
}

/** A dead or aborted maker's child may still be writing for a moment: what it adds meanwhile is removed as well. */
async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

const TEMPORARY = '.tmp-';

function temporaryName(entry: string): string {
  return `${entry}${TEMPORARY}${ownerToken()}`;
}

function waitReport(title: string, reporter: Reporter) {
  let told: number | undefined;
  const task = `Waiting for ${title}`;
  return {
    update({ pid }: Owner, milliseconds: number) {
      if (told !== pid) reporter.info(`Waiting for process ${pid}, which is getting ${title}.`);
      told = pid;
      reporter.progress(task, undefined, `process ${pid} is getting it, ${Math.round(milliseconds / 1000)} s so far`);
    },
    end() {
      if (told !== undefined) reporter.progress(task, 1);
    },
  };
}

/** A rename can reach the disk before the content does; after a power cut that would be a broken entry. */
async function writeThrough(folder: string): Promise<void> {
  for (const item of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (item.isFile() || item.isDirectory()) await syncPath(join(item.parentPath, item.name));
  }
  await syncPath(folder);
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function isBroken(error: unknown): error is TestenvError {
  return error instanceof TestenvError && error.code === 'KUR_TESTENV_BINARY_BROKEN';
}
