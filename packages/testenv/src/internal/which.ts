import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Not everybody's PATH has them, but that is where systems keep what only root can use. */
const systemFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** PATH with the system's own folders at its end. */
export function completePath(path = process.env.PATH ?? ''): string {
  return [...new Set([...path.split(delimiter).filter(Boolean), ...systemFolders])].join(delimiter);
}

/** The path of a program, or undefined where it is not installed. */
export async function which(program: string, path?: string): Promise<string | undefined> {
  for (const folder of completePath(path).split(delimiter)) {
    const candidate = join(folder, program);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
