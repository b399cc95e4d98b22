/** What would become of files: compared with what is on disk before anything is written. */
import { readFile } from 'node:fs/promises';
import { placeOf } from './place.ts';
import { writeError } from './write-error.ts';

/** A file before and after; absent is undefined, so a change can also remove. */
export interface FileChange {
  /** Below the project's folder, with `/`. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The file's text; undefined where there is none. */
export async function readIfThere(folder: string, path: string): Promise<string | undefined> {
  const place = await placeOf(folder, path);
  try {
    return await readFile(place, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw writeError(path, error);
  }
}

/** Planned files beside what is there now. */
export async function changesOf(
  folder: string,
  planned: readonly { readonly path: string; readonly text: string | undefined }[],
): Promise<FileChange[]> {
  return await Promise.all(
    planned.map(async ({ path, text }) => ({ path, before: await readIfThere(folder, path), after: text })),
  );
}

/** Whether anything would be written. */
export function isChange({ before, after }: FileChange): boolean {
  return before !== after;
}
