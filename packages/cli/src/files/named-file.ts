/** A single file that a person names by a flag: replaced if it is of the sort that the command writes, and else left alone. */
import { open } from 'node:fs/promises';
import { CliError } from '@kurator/command';
import { writeError } from './write-error.ts';

/** Bytes. In a bill of materials, who made it comes after its name, twice. */
const HEAD = 4096;

/** How each sort begins where we have made it. */
const beginnings = {
  'an image archive': /^oci-layout\0/,
  'a bill of materials': /^\{\s*"spdxVersion"[\s\S]*?"creators":\s*\[\s*"Tool: kurator-build"\s*\]/,
} as const;

/** Refuses a file that is there and is something else, or somebody else's. */
export async function refuseOther(flag: string, path: string, sort: keyof typeof beginnings): Promise<void> {
  const head = await headOf(path);
  if (head === undefined || head === '' || beginnings[sort].test(head)) return;
  throw new CliError(
    'KUR_CLI_EDITED',
    `${flag} ${path} is there, and is not ${sort} that was written by this command: it stays as it is`,
    {
      remedy: 'name another file, or move this one away',
    },
  );
}

/** Its first bytes; undefined where there is none. */
async function headOf(path: string): Promise<string | undefined> {
  try {
    const handle = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0);
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw writeError(path, error);
  }
}
