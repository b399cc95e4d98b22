/**
 * The layer that makes a JavaScript file runnable: the node program, the shared libraries it is linked with, and the
 * few files under /etc that programs expect. Like a "distroless" image it has no shell and no package manager.
 */
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { formatPlatform, type Platform } from '@kurator/registry';
import { TestenvError } from '../../error.ts';
import { run } from '../../internal/run.ts';
import type { BuildContext } from '../build.ts';
import { readStretch } from './blob.ts';
import { readElf } from './elf.ts';
import { cachedLayer, type Layer, writeLayer } from './layer.ts';
import { fileEntry, type TarEntry } from './tar-writer.ts';

/** Where the layer has its node. */
export const NODE_PATH = '/usr/local/bin/node';
/** The user `nonroot` of the layer, by number, because `runAsNonRoot` can't judge a name. */
export const NONROOT = '65532:65532';

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** glibc loads these by name when it resolves host names and users: the program's own headers do not list them. */
const LOADED_BY_NAME = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2'];

const ETC: Record<string, string> = {
  'etc/passwd': 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
  'etc/group': 'root:x:0:\nnonroot:x:65532:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

const FOLDERS: TarEntry[] = [
  { path: 'home/nonroot', type: 'directory', mode: 0o700, uid: 65532, gid: 65532 },
  { path: 'root', type: 'directory', mode: 0o700 },
  { path: 'tmp', type: 'directory', mode: 0o1777 },
];

/** A file of this machine that goes into the layer. */
interface Part {
  source: string;
  target: string;
  size: number;
  mode: number;
  modified: number;
}

/** The runtime layer of a node program; made once for each, then taken from the cache. */
export async function nodeRuntimeLayer(
  node: string,
  platform: Platform,
  { hasBase, place, reporter }: Pick<BuildContext, 'hasBase' | 'place' | 'reporter'>,
  signal?: AbortSignal,
): Promise<Layer> {
  await checkPlatform(node, platform);
  const parts = await partsOf(node);
  const { stdout } = await run(node, ['--version'], signal ? { signal } : {});
  const version = stdout.trim();
  const entries = place(hasBase ? filesOf(parts) : [...surroundings(), ...filesOf(parts)]);
  const make = async (file: string) => {
    reporter.verbose(`Making the image layer of Node ${version} with ${parts.map((part) => part.source).join(', ')}.`);
    await writeLayer(entries, file, signal);
  };
  return await cachedLayer(
    { key: `node-${version}-${fingerprint(parts, entries)}`, title: `Node ${version}`, make },
    reporter,
    signal,
  );
}

/** What of this machine goes into the runtime layer beside node itself: shared libraries and certificates, by their paths. */
export async function nodeRuntimeFiles(node: string): Promise<string[]> {
  const parts = await partsOf(node);
  return parts.filter(({ target }) => `/${target}` !== NODE_PATH).map(({ source }) => source);
}

/** Libraries are found by starting the program's loader, which works only for a program of this machine. */
async function checkPlatform(node: string, platform: Platform): Promise<void> {
  const elf = await readElf(node).catch(() => undefined);
  if (!elf?.isProgram || elf.architecture === platform.architecture) return;
  const title = formatPlatform(platform);
  throw new TestenvError(
    'KUR_TESTENV_IMAGE_SOURCE',
    `${node} is a program for ${elf.architecture}, not for ${title}.`,
    {
      remedy: `Put the bundle on an image for ${title} with Node in it: \`from\`.`,
    },
  );
}

async function partsOf(node: string): Promise<Part[]> {
  const program = await realpath(node).catch(() => node);
  const elf = await readElf(program).catch(() => undefined);
  if (!elf?.isProgram) {
    throw new TestenvError('KUR_TESTENV_IMAGE_SOURCE', `${node} is not a Linux program, so containers can't run it.`, {
      remedy: 'Give the path of a Linux node in `node`.',
    });
  }
  const libraries = elf.interpreter ? await librariesOf(program) : [];
  const libc = libraries.find((path) => basename(path).startsWith('libc.so'));
  const optional = [...(libc ? LOADED_BY_NAME.map((name) => join(dirname(libc), name)) : []), CERTIFICATES];
  const parts = [await partOf(program, NODE_PATH)];
  for (const path of libraries) parts.push(await partOf(path, path));
  for (const path of optional) parts.push(...(await partOf(path, path).then(one, none)));
  return parts
    .sort((a, b) => (a.target < b.target ? -1 : 1))
    .filter((part, at, all) => part.target !== all[at - 1]?.target);
}

/** The dynamic loader itself says what it would load, and from where. */
async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', [program]);
  const missing = /^\s*(\S+) => not found$/m.exec(stdout)?.[1];
  if (missing) {
    throw new TestenvError(
      'KUR_TESTENV_IMAGE_SOURCE',
      `${program} needs ${missing}, which this machine does not have.`,
      {
        remedy: 'Install the package that has it, or give another node in `node`.',
      },
    );
  }
  return [...stdout.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm)].map(([, path]) => path as string);
}

async function partOf(path: string, target: string): Promise<Part> {
  const { size, mode, mtimeMs } = await stat(path);
  return { source: path, target: target.slice(1), size, mode: mode & 0o111 ? 0o755 : 0o644, modified: mtimeMs };
}

const one = (part: Part) => [part];
const none = () => [];

/** What a base image would bring, and an empty one lacks. */
function surroundings(): TarEntry[] {
  return [...Object.entries(ETC).map(([path, text]) => fileEntry(path, text)), ...FOLDERS];
}

/** The files go where the loader looks for them. */
function filesOf(parts: readonly Part[]): TarEntry[] {
  return parts.map(({ source, target, size, mode }) => {
    return { path: target, type: 'file', mode, size, content: () => readStretch(source, 0, size) };
  });
}

/** Of everything that decides the layer's bytes; a file counts as the same while its size and time are. */
function fingerprint(parts: readonly Part[], entries: readonly TarEntry[]): string {
  const hash = createHash('sha256').update(JSON.stringify([ETC, entries]));
  for (const { target, size, modified } of parts) hash.update(`${target}\0${size}\0${modified}\n`);
  return hash.digest('hex').slice(0, 16);
}
