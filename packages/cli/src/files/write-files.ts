/** The only way in which commands write into a folder of somebody's: all of the files or none, whatever happens on the way. */
import { chmod, mkdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import { CliError } from '@kurator/command';
import { type FileChange, isChange, readIfThere } from './change.ts';
import { closeJournal, moveToFree, openJournal, recover, stagedText, undo } from './journal.ts';
import { makeFolder } from './make-folder.ts';
import { placeOf } from './place.ts';
import { writeError } from './write-error.ts';

/**
 * Applies the changes below `folder`. A failure leaves the folder as it was; if the process is killed, the next command
 * that writes there puts everything back first. A file that is not any more what the change says it was stops all of it.
 *
 * @param onStep Called before each file is touched, with how many have been.
 */
export async function writeFiles(
  folder: string,
  changes: readonly FileChange[],
  onStep: (done: number) => void = () => {},
): Promise<void> {
  // What is new is there before what is old goes.
  const real = changes
    .filter(isChange)
    .toSorted((a, b) => Number(a.after === undefined) - Number(b.after === undefined));
  if (real.length === 0) return;
  refuseTwins(real);
  for (const { path } of real) await placeOf(folder, path);
  const made = await makeFolder(folder);
  try {
    await recover(folder);
    const folders = await missingFolders(folder, real);
    await openJournal(folder, real, folders);
    try {
      for (const path of folders) await mkdir(await placeOf(folder, path)).catch(rethrow(path));
      for (const [at, change] of real.entries()) {
        onStep(at);
        await applyOne(folder, change, at).catch(rethrow(change.path));
      }
    } catch (error) {
      // Where even that fails, the journal stays, and the next command tries again.
      await undo(folder).catch(() => {});
      throw error;
    }
    await closeJournal(
      folder,
      real.map(({ path }) => path),
    );
  } catch (error) {
    if (made) await removeEmpty(folder, made);
    throw error;
  }
}

async function applyOne(folder: string, change: FileChange, at: number): Promise<void> {
  const { path, before, after } = change;
  const place = await placeOf(folder, path);
  if ((await readIfThere(folder, path)) !== before) throw changedMeanwhile(path);
  if (after === undefined) return await unlink(place);
  const staged = stagedText(folder, at);
  if (before === undefined) {
    return await moveToFree(staged, place).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? changedMeanwhile(path) : error;
    });
  }
  await chmod(staged, (await stat(place)).mode);
  await rename(staged, place);
}

/** Those above the files that are not there yet, each after those above it. */
async function missingFolders(folder: string, changes: readonly FileChange[]): Promise<string[]> {
  const above = changes.filter(({ after }) => after !== undefined).flatMap(({ path }) => foldersAbove(path));
  const missing: string[] = [];
  for (const path of [...new Set(above)].toSorted()) {
    const found = await stat(await placeOf(folder, path)).catch(() => undefined);
    if (!found) missing.push(path);
  }
  return missing;
}

function foldersAbove(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === '.' ? [] : [...foldersAbove(parent), parent];
}

/** Two files of one name would be one; on some disks `A` and `a` are. */
function refuseTwins(changes: readonly FileChange[]): void {
  const seen = new Map<string, string>();
  for (const { path } of changes) {
    const other = seen.get(path.toLowerCase());
    if (other !== undefined) {
      throw new CliError('KUR_CLI_WRITE', `two files would be called ${path}${other === path ? '' : ` and ${other}`}`, {
        remedy: 'rename what one of them is called after',
      });
    }
    seen.set(path.toLowerCase(), path);
  }
}

/** From a folder upwards to the topmost that was made. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  await rmdir(folder).catch(() => {});
  if (folder !== top) await removeEmpty(dirname(folder), top);
}

function changedMeanwhile(path: string): CliError {
  return new CliError('KUR_CLI_CHANGED', `${path} has changed meanwhile: nothing was written`, {
    remedy: 'run the command again: it looks anew at what is there',
  });
}

function rethrow(path: string): (error: unknown) => never {
  return (error) => {
    throw writeError(path, error);
  };
}
