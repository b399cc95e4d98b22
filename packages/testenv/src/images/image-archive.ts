/** The file that carries an image from here to a node: an OCI image layout in one tar. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type Blob,
  blobOfJson,
  descriptorOf,
  MEDIA_TYPE,
  type OciIndex,
  parseImageName,
  referenceOf,
} from '@kurator/registry';
import { cacheFolder } from '../folders.ts';
import { ownerToken } from '../process/owner.ts';
import { archiveName } from './archive-name.ts';
import type { Layer } from './internal/layer.ts';
import { manifestOf, NAME_ANNOTATION, REF_ANNOTATION } from './internal/oci.ts';
import { fileEntry, type TarEntry, tarStream } from './internal/tar-writer.ts';
import { sweep } from './internal/workspace.ts';

/** A built image. `ctr -n k8s.io images import PATH` puts it on a node, where pods find it by its name. */
export interface ImageArchive {
  /** The full name: `docker.io/library/web:v1` for `web:v1`. */
  name: string;
  /** `sha256:…` of the manifest; the same input gives the same digest. */
  digest: string;
  /** Absolute path of the archive. */
  path: string;
}

export interface WriteArchiveOptions {
  /** Where the archive goes; in the cache, under its digest, unless told. */
  output?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Writes an archive so that it is there as a whole or not at all. An equal one that is there already is kept. */
export async function writeArchive(
  name: string,
  config: Blob,
  layers: readonly Layer[],
  { output, signal }: WriteArchiveOptions = {},
): Promise<ImageArchive> {
  const manifest = blobOfJson(manifestOf({ mediaType: MEDIA_TYPE.config, blob: config }, layers));
  const blobs = [config, manifest, ...layers.map((layer) => layer.blob)];
  return await writeLayout(name, { mediaType: MEDIA_TYPE.manifest, blob: manifest }, blobs, { output, signal });
}

/** @param top What the name stands for. @param blobs That and all that it points at. */
export async function writeLayout(
  name: string,
  { mediaType, blob }: { mediaType: string; blob: Blob },
  blobs: readonly Blob[],
  { output, signal }: WriteArchiveOptions,
): Promise<ImageArchive> {
  const path = output ? resolve(output) : await cachePath(name, blob.digest);
  const image = { name, digest: blob.digest, path };
  if (!output && (await touch(path))) return image;
  const annotations = { [NAME_ANNOTATION]: name, [REF_ANNOTATION]: referenceOf(parseImageName(name)) };
  const index: OciIndex = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.index,
    manifests: [{ ...descriptorOf(mediaType, blob), annotations }],
  };
  await writeWhole(path, layoutEntries(index, blobs), signal);
  return image;
}

export function layoutEntries(index: OciIndex, blobs: readonly Blob[]): TarEntry[] {
  const unique = new Map(blobs.map((blob) => [blob.digest, blob]));
  return [
    fileEntry('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    fileEntry('index.json', JSON.stringify(index)),
    ...[...unique.values()].map(blobEntry),
  ];
}

function blobEntry({ digest, size, read }: Blob): TarEntry {
  return { path: `blobs/${digest.replace(':', '/')}`, type: 'file', mode: 0o644, size, content: read };
}

async function writeWhole(path: string, entries: TarEntry[], signal: AbortSignal | undefined): Promise<void> {
  const draft = join(dirname(path), ownerToken());
  await mkdir(dirname(path), { recursive: true });
  try {
    const output = createWriteStream(draft, { flags: 'wx', highWaterMark: 1024 * 1024 });
    await pipeline(tarStream(entries), output, signal ? { signal } : {});
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Where the archives of an image are kept. @param name The full one. */
function archiveFolder(name: string): string {
  return cacheFolder('images', 'archives', name.replace(/[/:]/g, '_'));
}

const DAY = 24 * 60 * 60 * 1000;

/** One folder a name. What has not been asked for since yesterday goes: every change of a program makes a new archive. */
async function cachePath(name: string, digest: string): Promise<string> {
  const folder = archiveFolder(name);
  const path = join(folder, `${digest.slice('sha256:'.length)}.tar`);
  await mkdir(folder, { recursive: true });
  await sweep(folder);
  for (const other of await readdir(folder)) {
    if (other === basename(path) || !other.endsWith('.tar')) continue;
    const used = await stat(join(folder, other)).catch(() => undefined);
    if (used && Date.now() - used.mtimeMs > DAY) await rm(join(folder, other), { force: true });
  }
  return path;
}

/** Marks a file as used just now; false if there is none. */
async function touch(path: string): Promise<boolean> {
  const now = new Date();
  return await utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

/** The image of that name that was built here last, if it is still in the cache. */
export async function findArchive(name: string): Promise<ImageArchive | undefined> {
  const full = archiveName(name);
  const folder = archiveFolder(full);
  const names = (await readdir(folder).catch(() => [])).filter((file) => /^[0-9a-f]{64}\.tar$/.test(file));
  const files = await Promise.all(
    names.map(async (file) => ({ file, at: (await stat(join(folder, file)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const [newest] = files.toSorted((a, b) => b.at - a.at);
  if (!newest) return undefined;
  return { name: full, digest: `sha256:${newest.file.slice(0, 64)}`, path: join(folder, newest.file) };
}
