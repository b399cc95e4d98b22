import { readFile, stat } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { machinePlatform, type OciConfig, type Platform } from '@kurator/registry';
import { TestenvError } from '../error.ts';
import { type BuildOptions, buildImage, openBase } from './build.ts';
import type { ImageArchive } from './image-archive.ts';
import type { ImageConfig } from './image-config.ts';
import { readStretch } from './internal/blob.ts';
import { folderEntries } from './internal/folder-entries.ts';
import { writeLayer } from './internal/layer.ts';
import { NODE_PATH, NONROOT, nodeRuntimeLayer } from './internal/node-runtime.ts';
import type { TarEntry } from './internal/tar-writer.ts';

/** How a bundle of JavaScript becomes an image. */
export interface NodeBundleOptions extends BuildOptions {
  /**
   * The Linux node program to put into the image. Default: the one that runs this; none where the base image says that
   * it has one itself, by its entrypoint or by the variable NODE_VERSION.
   */
  node?: string;
  /** The file to start, relative to a bundle that is a folder. Default: `main` of its package.json, else index.js or main.js. */
  entry?: string;
  /** Arguments for node itself, before the file: `--enable-source-maps`. */
  nodeOptions?: readonly string[];
}

const HOME = 'app';
const ENTRIES = ['index.js', 'index.mjs', 'index.cjs', 'main.js', 'main.mjs', 'main.cjs'];

/**
 * An image that runs JavaScript: a layer with Node, made once and shared by all such images, and a small one with the
 * bundle at `/app`. It runs as a user that is not root unless `config.user` says otherwise. A bundle that is one file
 * brings its source map (`FILE.map`) along.
 */
export async function imageFromNodeBundle(
  bundle: string,
  config: ImageConfig,
  options: NodeBundleOptions = {},
): Promise<ImageArchive> {
  const entry = await entryOf(bundle, options.entry);
  const { platform = machinePlatform() } = options;
  const inBase = options.from && !options.node ? await nodeInBase(options.from, platform) : undefined;
  const entrypoint = [inBase ?? NODE_PATH, ...(options.nodeOptions ?? []), `/${HOME}/${entry}`];
  const env = { NODE_ENV: 'production', ...config.env };
  const full = { entrypoint, user: NONROOT, workdir: `/${HOME}`, ...config, env };
  return await buildImage(full, options, async (context) => {
    const { folder, reporter, place } = context;
    const node = options.node ?? process.execPath;
    const runtime = inBase ? [] : [await nodeRuntimeLayer(node, platform, context, options.signal)];
    const isFolder = (await stat(bundle)).isDirectory();
    const layout = { at: HOME, uid: 0, gid: 0, reporter };
    const entries = isFolder ? (await folderEntries(bundle, layout)).map(readable) : await singleFile(bundle);
    return [...runtime, await writeLayer(place(entries), join(folder, 'bundle.tar'), options.signal)];
  });
}

/** The node program of a base image, as images of Node say it: by their entrypoint, or by the variable NODE_VERSION. */
export async function nodeInBase(base: ImageArchive | string, platform?: Platform): Promise<string | undefined> {
  const { config = {} }: OciConfig = (await openBase(base, platform)).config;
  const [program = ''] = config.Entrypoint ?? [];
  if (posix.basename(program) === 'node') return program;
  return config.Env?.some((variable) => variable.startsWith('NODE_VERSION=')) ? 'node' : undefined;
}

/** The program does not run as the owner of its files, whatever modes they have on this machine. */
function readable(entry: TarEntry): TarEntry {
  const isOpened = entry.type === 'directory' || (entry.mode & 0o111) !== 0;
  return { ...entry, mode: entry.mode | (isOpened ? 0o555 : 0o444) };
}

async function singleFile(bundle: string): Promise<TarEntry[]> {
  const entries: TarEntry[] = [{ path: HOME, type: 'directory', mode: 0o755 }];
  for (const path of [bundle, `${bundle}.map`]) {
    const size = (await stat(path).catch(() => undefined))?.size;
    if (size === undefined) continue;
    entries.push({
      path: `${HOME}/${basename(path)}`,
      type: 'file',
      mode: 0o644,
      size,
      content: () => readStretch(path, 0, size),
    });
  }
  return entries;
}

/** The file that node is to start, relative to /app. */
async function entryOf(bundle: string, entry: string | undefined): Promise<string> {
  const stats = await stat(bundle).catch(() => undefined);
  if (!stats) throw refused(`${bundle} is not there.`, 'Build the bundle first, or correct its path.');
  if (stats.isFile()) return basename(bundle);
  const candidates = entry ? [entry] : [...(await mainOf(bundle)), ...ENTRIES];
  for (const candidate of candidates) {
    if ((await stat(join(bundle, candidate)).catch(() => undefined))?.isFile()) return candidate.replace(/^\.\//, '');
  }
  throw refused(`${bundle} has no ${entry ?? 'file to start'}.`, 'Name the file to start in `entry`.');
}

async function mainOf(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  try {
    const { main } = JSON.parse(text) as { main?: unknown };
    return typeof main === 'string' ? [main] : [];
  } catch (cause) {
    throw refused(`${join(folder, 'package.json')} is not JSON.`, 'Mend it, or leave it out of the bundle.', cause);
  }
}

function refused(message: string, remedy: string, cause?: unknown): TestenvError {
  return new TestenvError('KUR_TESTENV_IMAGE_SOURCE', message, { remedy, cause });
}
