/** Writes several files, all or none: what can fail (room, rights) fails before the first file is changed. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FileChange, isChange } from './change.ts';
import { makeFolder } from './make-folder.ts';
import { writeError } from './write-error.ts';

/** Applies the changes below `folder`; a failure leaves the folder as it was. */
export async function writeFiles(folder: string, changes: readonly FileChange[]): Promise<void> {
  const real = changes.filter(isChange);
  const temporary = (path: string) => join(folder, `${path}.${process.pid}.tmp`);
  const made: string[] = [];
  try {
    for (const { path, after } of real) {
      if (after === undefined) continue;
      const first = await makeFolder(dirname(join(folder, path)));
      if (first) made.push(first);
      await writeFile(temporary(path), after).catch(rethrow(path));
    }
  } catch (error) {
    await Promise.all(real.map(({ path }) => rm(temporary(path), { force: true }).catch(() => {})));
    // There is nothing in folders that were made but what was to be written.
    await Promise.all(made.map((each) => rm(each, { recursive: true, force: true }).catch(() => {})));
    throw error;
  }
  for (const { path, after } of real) {
    if (after === undefined) await rm(join(folder, path), { force: true }).catch(rethrow(path));
    else await rename(temporary(path), join(folder, path)).catch(rethrow(path));
  }
}

function rethrow(path: string): (error: unknown) => never {
  return (error) => {
    throw writeError(path, error);
  };
}
