/** The format of `docker save` before it became an OCI layout: a manifest.json, and layers without a digest of their own. */
import { blobOfBytes, blobOfJson, MEDIA_TYPE, type OciConfig } from '@kurator/registry';
import { type ArchiveFile, digestOfEntry, isGzip, notAnImage, readJson, requireEntry } from './archive-file.ts';
import { blobOfFile } from './blob.ts';
import type { Layer } from './layer.ts';
import { manifestOf } from './oci.ts';
import type { OpenedImage } from './opened-image.ts';

interface SavedImage {
  Config: string;
  RepoTags?: string[] | null;
  Layers: string[];
}

/** Every image of the archive, once for each of its names, with the OCI manifest that it lacks. */
export async function dockerImages(archive: ArchiveFile, verify: boolean): Promise<OpenedImage[]> {
  const { value } = await readJson(archive, 'manifest.json');
  if (!Array.isArray(value) || !value.every(isSavedImage)) {
    throw notAnImage(archive.path, 'manifest.json in it is not the list that `docker save` writes');
  }
  const images: OpenedImage[] = [];
  for (const saved of value) {
    const image = await openSaved(archive, saved, verify);
    const names = saved.RepoTags?.length ? saved.RepoTags : [undefined];
    images.push(...names.map((name) => ({ ...image, name })));
  }
  return images;
}

async function openSaved(archive: ArchiveFile, saved: SavedImage, verify: boolean): Promise<OpenedImage> {
  const { bytes, value } = await readJson(archive, saved.Config);
  const { architecture, os, rootfs } = (value ?? {}) as Partial<OciConfig>;
  if (!architecture || !os || rootfs?.diff_ids?.length !== saved.Layers.length) {
    throw notAnImage(archive.path, `${saved.Config} in it does not fit the list of layers`);
  }
  const layers: Layer[] = [];
  for (const [position, name] of saved.Layers.entries()) {
    layers.push(await openLayer(archive, name, rootfs.diff_ids[position] as string, verify));
  }
  const config = { mediaType: MEDIA_TYPE.config, blob: blobOfBytes(bytes), value: value as OciConfig };
  const manifest = { mediaType: MEDIA_TYPE.manifest, blob: blobOfJson(manifestOf(config, layers)) };
  return { name: undefined, annotations: {}, digest: manifest.blob.digest, manifest, config, layers };
}

async function openLayer(archive: ArchiveFile, name: string, diffId: string, verify: boolean): Promise<Layer> {
  const stretch = requireEntry(archive, name);
  const compressed = await isGzip(archive, stretch);
  const digest = compressed || verify ? await digestOfEntry(archive, stretch) : diffId;
  if (!compressed && digest !== diffId) {
    throw notAnImage(archive.path, `the layer ${name} in it is damaged`, 'Make or copy the archive again.');
  }
  const mediaType = compressed ? MEDIA_TYPE.layerGzip : MEDIA_TYPE.layer;
  return { mediaType, diffId, blob: blobOfFile(archive.path, digest, stretch.size, stretch.offset) };
}

function isSavedImage(value: unknown): value is SavedImage {
  const { Config, Layers } = (value ?? {}) as Partial<SavedImage>;
  return typeof Config === 'string' && Array.isArray(Layers) && Layers.every((layer) => typeof layer === 'string');
}
