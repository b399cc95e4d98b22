import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  blobOfBytes,
  type Descriptor,
  formatPlatform,
  machinePlatform,
  type OciConfig,
  type Platform,
  type Repository,
  referenceOf,
} from '@kurator/registry';
import { TestenvError } from '../error.ts';
import { type ImageArchive, writeArchive } from './image-archive.ts';
import { blobOfFile } from './internal/blob.ts';
import type { Layer } from './internal/layer.ts';
import { repositoryAt } from './internal/repository-at.ts';
import { inWorkspace } from './internal/workspace.ts';
import type { PushOptions } from './push-image.ts';

/** What is pulled, and as whom. */
export interface PullOptions extends Pick<PushOptions, 'credentials' | 'proxy' | 'reporter' | 'signal'> {
  /** Of an image for several platforms, which one. Default: this machine's. */
  platform?: Platform | undefined;
}

/**
 * Pulls an image for one platform from a registry into an archive, every byte checked against its digest.
 * `registry` is a URL, `source` is `repository:tag` there.
 */
export async function pullImage(registry: string, source: string, options: PullOptions = {}): Promise<ImageArchive> {
  const { credentials, proxy, signal, reporter, platform = machinePlatform() } = options;
  await using place = repositoryAt(registry, source, { credentials, proxy });
  const { repository, name } = place;
  const task = `Pulling ${name.host}/${source}`;
  try {
    return await inWorkspace(`the image ${source}`, async (folder) => {
      const image = await repository.image(referenceOf(name), platform, { signal });
      if (!image) throw notForUs(source, formatPlatform(platform));
      const { content: manifest } = image;
      const config = await repository.bytes(manifest.config, { signal });
      const { rootfs } = JSON.parse(Buffer.from(config).toString('utf8')) as OciConfig;
      const layers: Layer[] = [];
      for (const [at, layer] of manifest.layers.entries()) {
        reporter?.progress(task, at / manifest.layers.length);
        const blob = await download(repository, layer, folder, signal);
        layers.push({ mediaType: layer.mediaType, diffId: rootfs.diff_ids[at] ?? '', blob });
      }
      const full = `${name.host}/${name.repository}:${name.tag ?? 'latest'}`;
      return await writeArchive(full, blobOfBytes(config), layers, { signal });
    });
  } finally {
    reporter?.progress(task, 1);
  }
}

async function download(repository: Repository, layer: Descriptor, folder: string, signal: AbortSignal | undefined) {
  const file = join(folder, layer.digest.replace(':', '-'));
  await pipeline(repository.blob(layer, { signal }), createWriteStream(file));
  return blobOfFile(file, layer.digest, layer.size);
}

function notForUs(source: string, platform: string): TestenvError {
  return new TestenvError('KUR_TESTENV_REGISTRY', `The registry has no image for ${platform} as ${source}.`, {
    remedy: 'Choose an image for this platform.',
  });
}
