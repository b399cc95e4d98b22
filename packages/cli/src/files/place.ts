/** Where a planned file may lie: strictly below the folder that a command was given, and not behind a link that leads elsewhere. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '@kurator/command';
import { writeError } from './write-error.ts';

/** A part of a path as every file system takes it: neither a way up, nor another separator, nor what can't be seen. */
const PART = /^(?!\.{1,2}$)[^/\\:\p{Cc}]+$/u;

/** Whether a path leads strictly down. @param path With `/`. */
export function leadsDown(path: string): boolean {
  return path.split('/').every((part) => PART.test(part));
}

/** The absolute path of a file below `folder`; an error where that is no place for a file of ours. @param path With `/`. */
export async function placeOf(folder: string, path: string): Promise<string> {
  if (!leadsDown(path)) {
    throw new CliError('KUR_CLI_OUTSIDE', `${JSON.stringify(path)} is no path below ${folder}`, {
      remedy: 'rename what the file is called after: a path has no "..", no ":" and no backslash',
    });
  }
  let place = folder;
  for (const part of path.split('/')) {
    place = join(place, part);
    if (await isLink(place)) {
      throw new CliError('KUR_CLI_OUTSIDE', `${place} is a link: where it leads to is not written`, {
        remedy: 'name that folder itself, or replace the link by a folder',
      });
    }
  }
  return place;
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw writeError(path, error);
  }
}
