/**
 * Layers that are unpacked once for all clusters, and linked into their nodes. An image is taken apart for that: its large
 * layers come from the store, and only what is above them goes to the nodes as an archive.
 */
import { join } from 'node:path';
import { messageOf } from '../error.ts';
import { cacheFolder } from '../folders.ts';
import type { ImageLayer, LayeredImage } from '../images/layered-image.ts';
import { withLock } from '../internal/lock.ts';
import { run } from '../internal/run.ts';
import type { Reporter } from '../reporter.ts';
import { openLayerStore } from './layer-store.ts';
import { type UnpackOptions, unpackLayers } from './unpack-layers.ts';

export { linking } from './link-layers.ts';

export interface SharedLayers {
  /** What machines share: the store's folder. */
  readonly folder: string;
  /** The chain IDs of an image's lowest layers that nodes can link, after those that are worth it were unpacked. */
  provide(image: LayeredImage): Promise<string[]>;
  /** Nobody here links them any more. */
  release(): Promise<void>;
}

export interface SharedLayersOptions {
  readonly programs: UnpackOptions['programs'];
  /** Where a machine that unpacks may have its disk: below the cluster's folder. */
  readonly workFolder: string;
  readonly reporter: Reporter;
}

/** Bytes. A smaller layer is on a node sooner than it could be linked. */
const WORTH_IT = 8 * 1024 * 1024;
/** Bytes. What clusters use stays, also beyond that. */
const STORE_LIMIT = 4 * 1024 ** 3;

export async function openSharedLayers(options: SharedLayersOptions): Promise<SharedLayers> {
  const { programs, workFolder, reporter } = options;
  const folder = cacheFolder('images', 'unpacked');
  const store = await openLayerStore({ folder, limit: STORE_LIMIT });
  let canShare: Promise<boolean> | undefined;

  /** How many of these layers are there, from the lowest on. */
  async function countKnown(chain: readonly string[]): Promise<number> {
    const known = await Promise.all(chain.map((chainId) => store.use(chainId)));
    const missing = known.indexOf(false);
    return missing === -1 ? chain.length : missing;
  }

  async function unpack(image: LayeredImage, chain: readonly string[]): Promise<void> {
    const count = await countKnown(chain);
    if (count === chain.length) return;
    const known = chain.slice(0, count);
    const archive = image.without(count);
    const wanted = chain.at(-1) as string;
    const place = { folder: join(workFolder, 'unpack'), shared: folder };
    await unpackLayers({ programs, ...place, archive, known, wanted }, async (folders) => {
      for (const [i, files] of folders.entries()) {
        const { chainId, size } = image.layers[count + i] as ImageLayer;
        await store.add(chainId, files, size);
        await store.use(chainId);
      }
    });
    await store.trim();
  }

  return {
    folder,
    async provide(image) {
      const worth = image.layers.findLastIndex(({ size }) => size >= WORTH_IT) + 1;
      const chain = image.layers.slice(0, worth).map(({ chainId }) => chainId);
      canShare ??= isTried(programs.containerd);
      if (chain.length === 0 || !(await canShare)) return [];
      if ((await countKnown(chain)) < chain.length) {
        await withLock(cacheFolder('images', 'locks', 'unpacked'), () => unpack(image, chain)).catch(
          (error: unknown) => {
            // Each node can do it by itself, as it does with what is not worth it.
            canShare = Promise.resolve(false);
            reporter.verbose(`layers are not shared: ${messageOf(error)}`);
          },
        );
      }
      return chain.slice(0, await countKnown(chain));
    },
    release: () => store.release(),
  };
}

/** Version 2 takes images in by another way (its transfer service), with which this was not tried. */
async function isTried(containerd: string): Promise<boolean> {
  const { stdout } = await run(containerd, ['--version']).catch(() => ({ stdout: '' }));
  return /\sv?1\.\d/.test(stdout);
}
