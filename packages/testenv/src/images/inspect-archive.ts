import { resolve } from 'node:path';
import { archiveName } from './archive-name.ts';
import { type ArchiveFormat, openArchive } from './internal/open-archive.ts';
import type { OpenedImage } from './internal/opened-image.ts';

/** What an image archive turned out to hold. */
export interface InspectedArchive {
  path: string;
  /** `oci`: an OCI layout; `docker`: what `docker save` wrote before version 25. */
  format: ArchiveFormat;
  /** At least one. */
  images: InspectedImage[];
}

/** One image of an archive. */
export interface InspectedImage {
  /** The full name; undefined if the archive names none. */
  name: string | undefined;
  /** Of the manifest. */
  digest: string;
  /** Digest of the configuration: what a pod's status calls `imageID` where the image was not pulled. */
  id: string;
  /** `linux/amd64` */
  platform: string;
  /** Bytes of all layers as they are in the archive. */
  size: number;
  layers: number;
}

/**
 * Reads an image archive, an OCI layout in a tar or the output of `docker save`, and checks that all of it is there
 * and undamaged. Anything else fails with `KUR_TESTENV_NOT_AN_IMAGE`, what is wrong, and the remedy.
 */
export async function inspectArchive(path: string): Promise<InspectedArchive> {
  const { format, images } = await openArchive(path, { verify: true });
  return { path: resolve(path), format, images: images.map(inspected) };
}

function inspected({ name, digest, config, layers }: OpenedImage): InspectedImage {
  return {
    name: name === undefined ? undefined : archiveName(name),
    digest,
    id: config.blob.digest,
    platform: `${config.value.os}/${config.value.architecture}`,
    size: layers.reduce((sum, layer) => sum + layer.blob.size, 0),
    layers: layers.length,
  };
}
