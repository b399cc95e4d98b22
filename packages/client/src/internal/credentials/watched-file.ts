import { readFile } from 'node:fs/promises';

/** A small file that someone else replaces now and then. */
export interface WatchedFile {
  /** What is in it; after a failed reading, what was in it before. */
  read(): Promise<string>;
}

/** `initial`: what is known to be in it, so that a file that is just being replaced harms nobody. */
export function watchedFile(path: string, initial?: string): WatchedFile {
  let last = initial;
  return {
    async read() {
      try {
        last = await readFile(path, 'utf8');
      } catch (error) {
        if (last === undefined) throw error;
      }
      return last;
    },
  };
}
