import { resolve } from 'node:path';
import { machinePlatform } from '@kurator/registry';
import { archiveName } from './archive-name.ts';
import { type ImageArchive, writeArchive } from './image-archive.ts';
import { notAnImage } from './internal/archive-file.ts';
import { NAME_ANNOTATION } from './internal/oci.ts';
import { type OpenedArchive, openArchive, runsHere } from './internal/open-archive.ts';
import type { OpenedImage } from './internal/opened-image.ts';
import { inWorkspace } from './internal/workspace.ts';

/** How the images of an archive are taken over. */
export interface FromArchiveOptions {
  /** The name to give the image, instead of what the archive says; needed where that says none. */
  name?: string;
  signal?: AbortSignal;
}

/**
 * The images of an archive that somebody else made, each as an archive that every node takes under its full name:
 * checked, for this platform, and with the name where containerd looks for it. One of our own is given back as it is.
 */
export async function imagesFromArchive(
  path: string,
  { name, signal }: FromArchiveOptions = {},
): Promise<ImageArchive[]> {
  const wanted = name === undefined ? undefined : archiveName(name);
  const archive = await openArchive(path, { verify: true });
  const images = archive.images.filter((image) => runsHere(image.config.value));
  if (images.length === 0) throw wrongPlatform(path, archive);
  if (wanted && images.length > 1) {
    throw notAnImage(
      path,
      `it holds ${images.length} images, which can't all be called ${name}`,
      'Leave the name out.',
    );
  }
  return await inWorkspace(`the images of ${path}`, async () => {
    const results: ImageArchive[] = [];
    for (const image of images) results.push(await ownArchive(path, archive, image, wanted, signal));
    return results;
  });
}

async function ownArchive(
  path: string,
  archive: OpenedArchive,
  image: OpenedImage,
  wanted: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ImageArchive> {
  const given = wanted ?? image.name;
  if (given === undefined)
    throw notAnImage(path, 'the image in it has no name', 'Say which name to give it: `name`, or --name.');
  const name = archiveName(given);
  if (archive.images.length === 1 && image.annotations[NAME_ANNOTATION] === name)
    return { name, digest: image.digest, path: resolve(path) };
  return await writeArchive(name, image.config.blob, image.layers, { signal });
}

function wrongPlatform(path: string, { images }: OpenedArchive) {
  const found = [...new Set(images.map(({ config: { value } }) => `${value.os}/${value.architecture}`))].join(', ');
  const { os, architecture } = machinePlatform();
  return notAnImage(
    path,
    `it is for ${found}, and the nodes here are ${os}/${architecture}`,
    `Get the image for ${os}/${architecture}.`,
  );
}
