/** What every way of building an image shares: a base, extra files, and the steps from layers to an archive. */
import { dirname, join, posix, resolve } from 'node:path';
import { blobOfJson, formatPlatform, machinePlatform, type OciConfig, type Platform } from '@kurator/registry';
import { TestenvError } from '../error.ts';
import { cacheFolder } from '../folders.ts';
import { requireSpace } from '../internal/disk-space.ts';
import { type Reporter, silent } from '../reporter.ts';
import { archiveName } from './archive-name.ts';
import { type ImageArchive, writeArchive } from './image-archive.ts';
import { checkImageConfig, type ImageConfig, ociConfig } from './image-config.ts';
import { notAnImage } from './internal/archive-file.ts';
import { placeOn, readFileTree } from './internal/file-tree.ts';
import { gzipLayer } from './internal/gzip-layer.ts';
import { type Layer, writeLayer } from './internal/layer.ts';
import { imageFor, openArchive } from './internal/open-archive.ts';
import { fileEntry, type TarEntry } from './internal/tar-writer.ts';
import { inWorkspace } from './internal/workspace.ts';

/** Settings of every build. */
export interface BuildOptions {
  /** The image to put the new layers on: its layers are reused as they are, its configuration is the default. */
  from?: ImageArchive | string;
  /** Files to add last, by absolute path in the image. Text and bytes get mode 644; say `{ content, mode }` for others. */
  files?: Readonly<Record<string, FileContent>>;
  /** What it is to run on. Default: this machine's platform. */
  platform?: Platform;
  /** Whether the new layers are compressed, for an image that is to be pushed; false unless given. */
  compress?: boolean;
  /** Where the archive goes. Default: the cache, under the image's name and digest. */
  output?: string;
  /** Hears about what takes long. Default: nobody. */
  reporter?: Reporter;
  signal?: AbortSignal;
}

/** What a file in an image consists of. */
export type FileContent = string | Uint8Array | { content: string | Uint8Array; mode: number };

/** What a way of building gets to make its layers with. */
export interface BuildContext {
  /** Empty at first; goes when the build ends. */
  folder: string;
  reporter: Reporter;
  /** Whether there is a base image, which then has its own users and settings. */
  hasBase: boolean;
  /** Fits entries to the base image: its links are followed, and folders that it has are left as they are. */
  place(entries: readonly TarEntry[]): TarEntry[];
}

export type LayerMaker = (context: BuildContext) => Promise<Layer[]>;

/** Checks the input, makes the layers on top of the base, and writes the archive. */
export async function buildImage(
  config: ImageConfig,
  options: BuildOptions,
  makeLayers: LayerMaker,
): Promise<ImageArchive> {
  const name = archiveName(config.name);
  checkImageConfig(config);
  const extra = extraEntries(options.files ?? {});
  const { reporter = silent, output, signal } = options;
  if (name.endsWith(':latest')) {
    reporter.info(
      `${config.name} has the tag latest: pods need imagePullPolicy IfNotPresent or Never to use it from the node.`,
    );
  }
  return await inWorkspace(`the image ${config.name}`, async (folder) => {
    const base = options.from === undefined ? undefined : await openBase(options.from, options.platform);
    const below = await readFileTree(base?.layers ?? []);
    const own = await makeLayers({
      folder,
      reporter,
      hasBase: base !== undefined,
      place: (entries) => placeOn(below, entries),
    });
    const layers = [...(base?.layers ?? []), ...own];
    if (extra.length > 0) {
      const placed = placeOn(await readFileTree(layers), extra);
      layers.push(await writeLayer(placed, join(folder, 'files.tar'), signal));
    }
    if (options.compress) {
      for (const [at, layer] of layers.entries()) layers[at] = await gzipLayer(layer, reporter, signal);
    }
    const target = output ? dirname(resolve(output)) : cacheFolder('images');
    await requireSpace(`The image ${config.name}`, [{ folder: target, bytes: totalSize(layers) }]);
    const diffIds = layers.slice(base?.layers.length ?? 0).map((layer) => layer.diffId);
    const described = ociConfig(config, diffIds, base?.config, options.platform);
    return await writeArchive(name, blobOfJson(described), layers, { output, signal });
  });
}

/** The path inside a tar for an absolute path in an image; empty for `/`. */
export function pathInImage(path: string, field: string): string {
  const clean = posix.normalize(path);
  if (path.startsWith('/') && !clean.includes('\0')) return clean.slice(1).replace(/\/$/, '');
  throw new TestenvError('KUR_TESTENV_IMAGE_CONFIG', `\`${field}\` has "${path}", which is not a path in an image.`, {
    remedy: 'Give an absolute path, such as /srv/www.',
  });
}

/** Room for a layer of that size and for the archive with it, which is made before the layer goes. */
export async function requireRoomFor(what: string, bytes: number): Promise<void> {
  await requireSpace(what, [{ folder: cacheFolder('images'), bytes: bytes * 2 }]);
}

/** The image that a build begins with. */
export async function openBase(
  from: ImageArchive | string,
  platform: Platform = machinePlatform(),
): Promise<{ config: OciConfig; layers: Layer[] }> {
  const path = typeof from === 'string' ? from : from.path;
  const image = imageFor(platform, await openArchive(path));
  if (image) return { config: image.config.value, layers: image.layers };
  throw notAnImage(path, `it has no image for ${formatPlatform(platform)}`, 'Give a base image for this platform.');
}

function extraEntries(files: Readonly<Record<string, FileContent>>): TarEntry[] {
  return Object.keys(files)
    .sort()
    .map((path) => {
      const file = files[path] as FileContent;
      const inside = pathInImage(path, 'files');
      const isPlain = typeof file === 'string' || file instanceof Uint8Array;
      return isPlain ? fileEntry(inside, file) : fileEntry(inside, file.content, file.mode);
    });
}

function totalSize(layers: readonly Layer[]): number {
  return layers.reduce((sum, layer) => sum + layer.blob.size, 0);
}
