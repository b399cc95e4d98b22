/** Copies files into and out of containers, by the `tar` that must be in them. */
import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, readlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Client } from './client.ts';
import { ClientError } from './error.ts';
import type { Execution } from './execution.ts';
import { unpack } from './internal/streams/unpack.ts';
import type { AttachOptions } from './options.ts';
import type { ObjectReference } from './resource-type.ts';

/** Options of {@link copyToPod} and {@link copyFromPod}. */
export type CopyOptions = Pick<AttachOptions, 'container' | 'signal' | 'timeout' | 'pingInterval'>;

/**
 * Copies a file or a folder into a container, under the name that `target` gives. Folders above it are made; what is
 * there already is written over, and nothing is removed.
 */
export async function copyToPod(
  client: Client,
  pod: ObjectReference,
  source: string,
  target: string,
  options: CopyOptions = {},
): Promise<void> {
  await lstat(source);
  const [folder, name] = [posix.dirname(target), posix.basename(target)];
  const script = 'mkdir -p "$1" && exec tar -xmf - -C "$1"';
  const execution = await client.exec(pod, ['sh', '-c', script, 'sh', folder], { ...options, stdin: true });
  const archive = await pack(source, name);
  const sending = pipeline(archive, execution.stdin).catch((error: Error) => error);
  await finish(`copy ${source} to ${target}`, execution, async () => {
    execution.stdout.resume();
    await execution.exitCode;
  });
  const trouble = await sending;
  if (trouble instanceof Error) throw trouble;
}

/**
 * Copies a file or a folder out of a container, to the name that `target` gives. Only files and folders come: links and
 * devices are left behind, and an archive that wants to write outside of `target` is refused.
 */
export async function copyFromPod(
  client: Client,
  pod: ObjectReference,
  source: string,
  target: string,
  options: CopyOptions = {},
): Promise<void> {
  const [folder, name] = [posix.dirname(source), posix.basename(source)];
  const execution = await client.exec(pod, ['tar', '-cf', '-', '-C', folder, name], options);
  await mkdir(dirname(target), { recursive: true });
  await finish(`copy ${source} from ${pod.name}`, execution, async () => {
    await unpack(execution.stdout, name, target);
  });
}

/** Waits for the work and the program; what the program complained of says more than what that led to. */
async function finish(doing: string, execution: Execution, work: () => Promise<void>): Promise<void> {
  const complaints = text(execution.stderr).catch(() => '');
  try {
    const outcome = await work().catch((error: unknown) => error);
    if (outcome instanceof ClientError && outcome.code !== 'KUR_CLIENT_SERVER') throw outcome;
    const exitCode = await execution.exitCode;
    if (exitCode !== 0) throw failed(doing, exitCode, await complaints);
    if (outcome) throw outcome;
  } finally {
    execution.close();
  }
}

function failed(doing: string, exitCode: number, complaints: string): ClientError {
  const why = complaints.trim().slice(0, 500) || `tar ended with exit code ${exitCode}`;
  return new ClientError('KUR_CLIENT_REFUSED', `${doing}: ${why}`);
}

/** The archive of a file or folder, which calls itself `name` in it. */
async function pack(source: string, name: string): Promise<Readable> {
  const { pack: newPack } = await import('tar-stream');
  const archive = newPack();
  const add = async (path: string, as: string): Promise<void> => {
    const stats = await lstat(path);
    const header = { name: as, mode: stats.mode & 0o7777, mtime: stats.mtime };
    const entry = (rest: object, content = '') =>
      new Promise<void>((resolve, reject) => {
        archive.entry({ ...header, ...rest }, content, (error) => (error ? reject(error) : resolve()));
      });
    if (stats.isSymbolicLink()) await entry({ type: 'symlink', linkname: await readlink(path) });
    else if (stats.isDirectory()) {
      await entry({ type: 'directory' });
      for (const child of (await readdir(path)).sort()) await add(join(path, child), `${as}/${child}`);
    } else if (stats.isFile()) {
      const content = createReadStream(path, { end: Math.max(0, stats.size - 1) });
      if (stats.size === 0) await entry({ type: 'file', size: 0 });
      else await pipeline(content, archive.entry({ ...header, size: stats.size }) as unknown as Writable);
    }
  };
  add(source, name).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  // tar-stream brings its own kind of stream, which node's pipeline takes, but whose types are strangers to node's.
  return archive as unknown as Readable;
}
