/**
 * What a command is about to do to the files of a folder, written down beside them before the first is touched, with what
 * they were: whoever finds it later can put back what was there. It lies in a folder of its own:
 *
 *     .kurator-writing-OWNER   is being prepared, or is done with: to be thrown away
 *     .kurator-writing         in force: the files are being changed, or the process died while it did so
 *
 * One rename makes the one the other, so that there is nothing in between; and only one process at a time has one in force.
 * What a rename rests on is on the disk before it, so that this also holds after a power cut.
 */
import {
  constants,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ActionContext } from '@kurator/command';
import { CliError } from '@kurator/command';
import { isAlive, ownerToken, parseOwner } from '@kurator/testenv/owner';
import { type FileChange, readIfThere } from './change.ts';
import { placeOf } from './place.ts';
import { digestOf } from './record.ts';
import { writeError } from './write-error.ts';

const IN_FORCE = '.kurator-writing';
const PREPARED = /^\.kurator-writing-(.+)$/;
const LIST = 'journal.json';

/** One file: digests of what it was and will be; null where there is none. */
interface Entry {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface Journal {
  /** The process whose it is: its number alone may be another's by now. */
  readonly owner: string;
  readonly entries: readonly Entry[];
  /** Folders that are made on the way, each after those above it. */
  readonly folders: readonly string[];
}

/** Writes down what will be done; from then on it counts. */
export async function openJournal(folder: string, changes: readonly FileChange[], folders: readonly string[]) {
  const owner = ownerToken();
  const draft = join(folder, `${IN_FORCE}-${owner}`);
  const entries = changes.map(({ path, before, after }) => ({ path, before: digest(before), after: digest(after) }));
  try {
    await mkdir(draft);
    for (const [at, { path, before, after }] of changes.entries()) {
      const mode = await modeOf(await placeOf(folder, path));
      if (before !== undefined) await writeDown(join(draft, `${at}.before`), before, mode);
      if (after !== undefined) await writeDown(join(draft, `${at}.after`), after, mode);
    }
    await writeDown(join(draft, LIST), JSON.stringify({ owner, entries, folders } satisfies Journal));
    await syncFolder(draft);
    await rename(draft, join(folder, IN_FORCE));
    await syncFolder(folder);
  } catch (error) {
    await throwAway(draft);
    throw (error as NodeJS.ErrnoException).code === 'ENOTEMPTY' ? busy(folder) : writeError(folder, error);
  }
}

/** Where the new text of a change lies, until it is moved to its place. */
export function stagedText(folder: string, at: number): string {
  return join(folder, IN_FORCE, `${at}.after`);
}

/** All is done, or undone: the journal counts no more. @param paths Of the files that were touched. */
export async function closeJournal(folder: string, paths: readonly string[]): Promise<void> {
  const done = join(folder, `${IN_FORCE}-${ownerToken()}`);
  for (const place of foldersOf(folder, paths)) await syncFolder(place);
  await rename(join(folder, IN_FORCE), done);
  await syncFolder(folder);
  await throwAway(done);
}

/** All between the folder and the files. */
function foldersOf(folder: string, paths: readonly string[]): Set<string> {
  const found = new Set([folder]);
  for (const path of paths) {
    for (let above = dirname(path); above !== '.'; above = dirname(above)) found.add(join(folder, above));
  }
  return found;
}

/**
 * Puts back what an earlier command left half done because it was killed. A file that somebody has changed since is left
 * as it is.
 *
 * @returns The paths of those; undefined where nothing was half done.
 */
export async function recover(folder: string): Promise<string[] | undefined> {
  const found = await readdir(folder).catch(() => [] as string[]);
  for (const name of found) {
    const owner = PREPARED.exec(name)?.[1];
    if (owner && parseOwner(owner) && !isOthers(owner)) await throwAway(join(folder, name));
  }
  return found.includes(IN_FORCE) ? await undo(folder) : undefined;
}

/** Puts back what was there, as the journal in force says, and closes it. @returns What somebody has changed meanwhile. */
export async function undo(folder: string): Promise<string[]> {
  const { owner, entries, folders } = await readJournal(folder);
  if (isOthers(owner)) throw busy(folder);
  const left: string[] = [];
  for (const [at, entry] of entries.toReversed().entries()) {
    if (!(await putBack(folder, entry, entries.length - 1 - at))) left.push(entry.path);
  }
  for (const path of folders.toReversed()) await rmdir(await placeOf(folder, path)).catch(() => {});
  await closeJournal(
    folder,
    entries.map(({ path }) => path),
  );
  return left;
}

async function putBack(folder: string, { path, before, after }: Entry, at: number): Promise<boolean> {
  const now = digest(await readIfThere(folder, path).catch(belowFile));
  if (now === before) return true;
  if (now !== after) return false;
  const place = await placeOf(folder, path);
  const kept = join(folder, IN_FORCE, `${at}.before`);
  if (before === null) await unlink(place);
  else if (after === null) await moveToFree(kept, place);
  else await rename(kept, place);
  return true;
}

/** Where a folder on the way is a file, nothing can have been written. */
function belowFile(error: Error): undefined {
  if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOTDIR') throw error;
}

/** Moves a file to a place where there is none: what has appeared there meanwhile stays, and is an error (`EEXIST`). */
export async function moveToFree(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') throw error;
    // Not every file system has hard links.
    await copyFile(from, to, constants.COPYFILE_EXCL);
  });
  await unlink(from);
}

async function readJournal(folder: string): Promise<Journal> {
  const place = join(folder, IN_FORCE);
  try {
    return JSON.parse(await readFile(join(place, LIST), 'utf8')) as Journal;
  } catch (cause) {
    throw unreadable(place, cause);
  }
}

function unreadable(place: string, cause: unknown): CliError {
  return new CliError('KUR_CLI_JOURNAL', `${place} tells of files that were being written, and can't be read`, {
    remedy: 'look at what is in it: N.before is what a file was; then delete it',
    cause,
  });
}

/** Only what a journal is made of, by name, and the folder if nothing else is in it. */
async function throwAway(place: string): Promise<void> {
  const names = await readdir(place).catch(() => [] as string[]);
  const own = names.filter((name) => name === LIST || /^\d+\.(before|after)$/.test(name));
  await Promise.all(own.map((name) => unlink(join(place, name)).catch(() => {})));
  await rmdir(place).catch(() => {});
}

/** On the disk, not only on its way there. @param mode As the file has it whose text it is. */
async function writeDown(file: string, text: string, mode?: number): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    // The mode that it is made with is narrowed by the process's umask.
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function modeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && found.mode & 0o7777;
}

/** What is in a folder under which name is on the disk, where a file system can be told so. */
async function syncFolder(place: string): Promise<void> {
  const handle = await open(place, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

function digest(text: string | undefined): string | null {
  return text === undefined ? null : digestOf(text);
}

/** Whether another process that lives has it, or one of which that can't be known, on another machine or in another container. */
function isOthers(token: string): boolean {
  const owner = parseOwner(token);
  if (!owner) return true;
  const alive = isAlive(owner);
  return alive === undefined || (alive && owner.pid !== process.pid);
}

function busy(folder: string): CliError {
  return new CliError('KUR_CLI_BUSY', `another command is writing into ${folder}`, {
    remedy: `let it end; if there is none, on this machine or another that shares the folder, delete ${join(folder, IN_FORCE)}`,
  });
}

/** Puts back what was there before a command that was killed, and says so. */
export async function recovered(folder: string, { say }: Pick<ActionContext, 'say'>): Promise<void> {
  const left = await recover(folder);
  if (!left) return;
  say('An earlier command was ended while it wrote; what it had written is undone.');
  for (const path of left) say(`${path} has been changed since, and stays as it is.`);
}
