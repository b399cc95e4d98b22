/** What a person names to be read: a file, or `-` for standard input, as everywhere on a command line. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { CliError } from './error.ts';

/** What stands for standard input. */
const STDIN = '-';

type Input = Readable & { readonly isTTY?: boolean };

/** A text. @param what The flag or argument, for the message if nobody writes one. */
export async function readNamed(what: string, path: string, input: Input = process.stdin): Promise<string> {
  return path === STDIN ? await text(piped(what, input)) : await readFile(path, 'utf8');
}

/** For what has to be read here and there: what comes on standard input is a file for as long as `act` takes. */
export async function withNamedFile<Result>(
  what: string,
  path: string,
  act: (path: string) => Promise<Result>,
  { input = process.stdin, signal }: { input?: Input; signal?: AbortSignal } = {},
): Promise<Result> {
  if (path !== STDIN) return await act(path);
  const source = piped(what, input);
  const folder = await mkdtemp(join(tmpdir(), 'kurator-stdin-'));
  try {
    const file = join(folder, 'stdin');
    await pipeline(source, createWriteStream(file), signal ? { signal } : {});
    return await act(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Nobody types an archive: who gives `-` at a terminal would wait for ever. */
function piped(what: string, input: Input): Input {
  if (!input.isTTY) return input;
  throw new CliError('KUR_CLI_USAGE', `${what} is -, and nothing is piped in`, {
    remedy: 'name a file, or write: some-command | kurator … -',
  });
}
