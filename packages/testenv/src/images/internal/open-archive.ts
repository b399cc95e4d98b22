/**
 * Image archives as others and we write them, read into one shape: OCI layouts in a tar (`skopeo`, `buildah`, new
 * `docker save`, this package) and the older `docker save` format.
 */
import { machinePlatform, type Platform } from '@kurator/registry';
import { type ArchiveFile, notAnImage, openArchiveFile } from './archive-file.ts';
import { dockerImages } from './docker-save.ts';
import { ociImages } from './oci-layout.ts';
import type { OpenedImage } from './opened-image.ts';

export type ArchiveFormat = 'oci' | 'docker';

export interface OpenedArchive {
  format: ArchiveFormat;
  images: OpenedImage[];
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
  return { format, images };
}

/** The image that this machine can run; an archive can hold one for each of several platforms. */
export function imageForMachine(archive: OpenedArchive): OpenedImage | undefined {
  return archive.images.find((image) => runsHere(image.config.value));
}

export function runsHere({ os, architecture }: Platform): boolean {
  const machine = machinePlatform();
  return os === machine.os && architecture === machine.architecture;
}

function formatOf({ path, entries }: ArchiveFile): ArchiveFormat {
  if (entries.has('oci-layout') && entries.has('index.json')) return 'oci';
  if (entries.has('manifest.json')) return 'docker';
  throw notAnImage(path, 'it is a tar archive, but of something else (it has neither index.json nor manifest.json)');
}
