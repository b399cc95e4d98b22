/**
 * Layers: one tar file each, written once and known by its digest. They are not compressed: nothing here crosses a
 * slow network, and compressing the Node runtime alone would take longer than the rest of its image's way to a node.
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Blob, MEDIA_TYPE } from '@kurator/registry';
import { cacheFolder } from '../../folders.ts';
import { withLock } from '../../internal/lock.ts';
import type { Reporter } from '../../reporter.ts';
import { blobOfFile, readStretch, sha256OfStream } from './blob.ts';
import { type TarEntry, tarStream } from './tar-writer.ts';
import { inWorkspace } from './workspace.ts';

/** A layer in a form that can be written into an archive, wherever it comes from. */
export interface Layer {
  mediaType: string;
  /** Digest of the uncompressed tar. */
  diffId: string;
  blob: Blob;
}

/** Writes entries as a layer into a new file. */
export async function writeLayer(entries: Iterable<TarEntry>, file: string, signal?: AbortSignal): Promise<Layer> {
  const hash = createHash('sha256');
  let size = 0;
  const count = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.byteLength;
      yield chunk;
    }
  };
  const output = createWriteStream(file, { flags: 'wx', highWaterMark: 1024 * 1024 });
  await pipeline(tarStream(entries), count, output, signal ? { signal } : {});
  return uncompressed(file, `sha256:${hash.digest('hex')}`, size);
}

/** What makes one cached layer differ from another, and how it is made. */
export interface LayerRecipe {
  /** File-name safe. */
  key: string;
  /** In words for a person: `Node 24.1.0`. */
  title: string;
  /** Writes the uncompressed tar into `file`, which does not exist yet; `folder` is for anything else on the way. */
  make(file: string, folder: string): Promise<void>;
}

/** A layer from the cache, made now if need be; of several processes that ask at once, one makes it. */
export async function cachedLayer(recipe: LayerRecipe, reporter: Reporter, signal?: AbortSignal): Promise<Layer> {
  const folder = cacheFolder('images', 'layers', recipe.key);
  const found = await findLayer(folder);
  if (found) return found;
  const onWait = ({ pid }: { pid: number }) =>
    reporter.progress(recipe.title, undefined, `process ${pid} is making it`);
  const locks = cacheFolder('images', 'locks', recipe.key);
  return await withLock(locks, async () => (await findLayer(folder)) ?? (await makeLayer(recipe, folder)), {
    signal,
    onWait,
  });
}

/** The file's name is its digest, so that one rename makes it whole and known. */
async function findLayer(folder: string): Promise<Layer | undefined> {
  for (const name of await readdir(folder).catch(() => [])) {
    const hex = /^([0-9a-f]{64})\.tar$/.exec(name)?.[1];
    if (!hex) continue;
    const { size } = await stat(join(folder, name));
    return uncompressed(join(folder, name), `sha256:${hex}`, size);
  }
  return undefined;
}

async function makeLayer(recipe: LayerRecipe, folder: string): Promise<Layer> {
  return await inWorkspace(`the layer ${recipe.title}`, async (workspace) => {
    const draft = join(workspace, 'layer.tar');
    await recipe.make(draft, workspace);
    const { size } = await stat(draft);
    const digest = await sha256OfStream(readStretch(draft, 0, size));
    await writeThrough(draft);
    const file = join(folder, `${digest.slice('sha256:'.length)}.tar`);
    await mkdir(folder, { recursive: true });
    await rename(draft, file);
    return uncompressed(file, digest, size);
  });
}

/** The rename can reach the disk before the content does; after a power cut the name would promise what is not there. */
async function writeThrough(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function uncompressed(file: string, digest: string, size: number): Layer {
  return { mediaType: MEDIA_TYPE.layer, diffId: digest, blob: blobOfFile(file, digest, size) };
}
