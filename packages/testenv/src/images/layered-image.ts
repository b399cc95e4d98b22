import { Readable } from 'node:stream';
import { descriptorOf, MEDIA_TYPE, sha256 } from '@kurator/registry';
import { layoutEntries } from './image-archive.ts';
import { NAME_ANNOTATION } from './internal/oci.ts';
import { openArchive, runsHere } from './internal/open-archive.ts';
import { tarStream } from './internal/tar-writer.ts';

/** An image as a node takes it in: layer by layer, so that those that it has already can be left out. */
export interface LayeredImage {
  /** The lowest first. */
  readonly layers: readonly ImageLayer[];
  /** The archive as a stream, without the lowest `count` layers. */
  without(count: number): Readable;
}

/** One layer of an image. */
export interface ImageLayer {
  /** Names what it and all below it unpack to: `sha256:…`. */
  readonly chainId: string;
  /** Bytes, as it is in the archive. */
  readonly size: number;
}

/** The layers of an archive's only image; undefined for an archive of any other kind. */
export async function openLayeredImage(path: string): Promise<LayeredImage | undefined> {
  const { format, images } = await openArchive(path);
  const [image, ...others] = images;
  if (format !== 'oci' || !image || others.length > 0 || !runsHere(image.config.value)) return undefined;
  const { manifest, config, layers, annotations } = image;
  if (!annotations[NAME_ANNOTATION]) return undefined;
  const chain = chainIds(layers.map(({ diffId }) => diffId));
  const descriptor = { ...descriptorOf(manifest.mediaType, manifest.blob), annotations };
  const index = { schemaVersion: 2 as const, mediaType: MEDIA_TYPE.index, manifests: [descriptor] };
  return {
    layers: layers.map(({ blob }, i) => ({ chainId: chain[i] as string, size: blob.size })),
    without(count) {
      const kept = layers.slice(count).map(({ blob }) => blob);
      // A child process is given nothing but node's own streams.
      return Readable.from(tarStream(layoutEntries(index, [manifest.blob, config.blob, ...kept])));
    },
  };
}

/** As the image specification defines them. @param diffIds Digests of the layers, uncompressed. */
export function chainIds(diffIds: readonly string[]): string[] {
  const chain: string[] = [];
  for (const diffId of diffIds) {
    const below = chain.at(-1);
    chain.push(below === undefined ? diffId : sha256(`${below} ${diffId}`));
  }
  return chain;
}
