/**
 * Image archives as others and we write them, read into one shape: OCI layouts in a tar (`skopeo`, `buildah`, new
 * `docker save`, this package) and the older `docker save` format.
 */
import { type Blob, machinePlatform, type Platform } from '@kurator/registry';
import { type ArchiveFile, notAnImage, openArchiveFile } from './archive-file.ts';
import { dockerImages } from './docker-save.ts';
import { ociImages, ociIndex } from './oci-layout.ts';
import type { OpenedImage } from './opened-image.ts';

export type ArchiveFormat = 'oci' | 'docker';

export interface OpenedArchive {
  format: ArchiveFormat;
  images: OpenedImage[];
  /** What has the images under one name, one for each platform; undefined where that is not all there is, or not all of it is there. */
  index?: { mediaType: string; blob: Blob } | undefined;
}

export interface OpenOptions {
  /** Read every layer and compare its digest; without it only manifests and configurations are compared. */
  verify?: boolean;
}

export async function openArchive(path: string, { verify = false }: OpenOptions = {}): Promise<OpenedArchive> {
  const archive = await openArchiveFile(path);
  const format = formatOf(archive);
  const images = format === 'oci' ? await ociImages(archive, verify) : await dockerImages(archive, verify);
  if (images.length === 0) throw notAnImage(path, 'it is an image archive without an image in it');
  const index = format === 'oci' ? await ociIndex(archive, images) : undefined;
  return { format, images, index };
}

/** The image that this machine can run; an archive can hold one for each of several platforms. */
export function imageForMachine(archive: OpenedArchive): OpenedImage | undefined {
  return imageFor(machinePlatform(), archive);
}

/** The image for a platform; where no variant is asked for, any will do. */
export function imageFor(platform: Platform, { images }: OpenedArchive): OpenedImage | undefined {
  return images.find(({ config }) => fits(config.value, platform));
}

export function runsHere(platform: Platform): boolean {
  return fits(platform, machinePlatform());
}

function fits({ os, architecture, variant }: Platform, wanted: Platform): boolean {
  const isVariant = wanted.variant === undefined || wanted.variant === variant;
  return os === wanted.os && architecture === wanted.architecture && isVariant;
}

function formatOf({ path, entries }: ArchiveFile): ArchiveFormat {
  if (entries.has('oci-layout') && entries.has('index.json')) return 'oci';
  if (entries.has('manifest.json')) return 'docker';
  throw notAnImage(path, 'it is a tar archive, but of something else (it has neither index.json nor manifest.json)');
}
