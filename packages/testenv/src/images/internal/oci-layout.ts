import {
  type Blob,
  blobOfBytes,
  type Descriptor,
  isDigest,
  MEDIA_TYPE,
  type OciConfig,
  type OciIndex,
  type OciManifest,
  sha256,
} from '@kurator/registry';
import { type ArchiveFile, digestOfEntry, notAnImage, readJson, requireEntry } from './archive-file.ts';
import { blobOfFile } from './blob.ts';
import type { Layer } from './layer.ts';
import { NAME_ANNOTATION, REF_ANNOTATION } from './oci.ts';
import type { OpenedImage } from './opened-image.ts';

const INDEX_TYPES: readonly string[] = [MEDIA_TYPE.index, MEDIA_TYPE.dockerIndex];
const MANIFEST_TYPES: readonly string[] = [MEDIA_TYPE.manifest, MEDIA_TYPE.dockerManifest];

/** Every image of an OCI layout whose blobs are there. */
export async function ociImages(archive: ArchiveFile, verify: boolean): Promise<OpenedImage[]> {
  const { value } = await readJson(archive, 'index.json');
  const images: OpenedImage[] = [];
  for (const descriptor of asIndex(archive, 'index.json', value).manifests) {
    const name = nameOf(descriptor);
    for (const manifest of await manifestsOf(archive, descriptor)) {
      const annotations = manifest === descriptor ? (descriptor.annotations ?? {}) : {};
      images.push({ ...(await openManifest(archive, manifest, verify)), name, annotations });
    }
  }
  return images;
}

/** The index that is all there is in the layout, if it has the images that are there and nothing else. */
export async function ociIndex(
  archive: ArchiveFile,
  images: readonly OpenedImage[],
): Promise<{ mediaType: string; blob: Blob } | undefined> {
  const { value } = await readJson(archive, 'index.json');
  const [top, ...others] = asIndex(archive, 'index.json', value).manifests;
  if (!top || others.length > 0 || !INDEX_TYPES.includes(top.mediaType)) return undefined;
  const { bytes, value: inner } = await jsonBlob(archive, top);
  const opened = new Set(images.map(({ digest }) => digest));
  const isWhole = asIndex(archive, top.digest, inner).manifests.every(({ digest }) => opened.has(digest));
  return isWhole ? { mediaType: top.mediaType, blob: blobOfBytes(bytes) } : undefined;
}

/** The descriptor itself if it is a manifest's, else those of the images in the index that it stands for. */
async function manifestsOf(archive: ArchiveFile, descriptor: Descriptor): Promise<Descriptor[]> {
  if (MANIFEST_TYPES.includes(descriptor.mediaType)) return [descriptor];
  if (!INDEX_TYPES.includes(descriptor.mediaType)) return [];
  const { value } = await jsonBlob(archive, descriptor);
  // An archive may lack other platforms' images; build attestations have a platform that does not exist.
  return asIndex(archive, descriptor.digest, value).manifests.filter((each) => {
    return MANIFEST_TYPES.includes(each.mediaType) && each.platform?.os !== 'unknown' && isHere(archive, each);
  });
}

type OpenedManifest = Omit<OpenedImage, 'name' | 'annotations'>;

async function openManifest(archive: ArchiveFile, descriptor: Descriptor, verify: boolean): Promise<OpenedManifest> {
  const { bytes, value } = await jsonBlob(archive, descriptor);
  const manifest = value as Partial<OciManifest>;
  if (!isDescriptor(manifest?.config) || !Array.isArray(manifest.layers) || !manifest.layers.every(isDescriptor)) {
    throw notAnImage(archive.path, `the manifest ${descriptor.digest} in it names no configuration or no layers`);
  }
  const config = await jsonBlob(archive, manifest.config);
  const { architecture, os, rootfs } = (config.value ?? {}) as Partial<OciConfig>;
  if (!architecture || !os || rootfs?.diff_ids?.length !== manifest.layers.length) {
    throw notAnImage(archive.path, `the configuration ${manifest.config.digest} in it does not fit its manifest`);
  }
  const layers: Layer[] = [];
  for (const [position, layer] of manifest.layers.entries()) {
    const blob = await layerBlob(archive, layer, verify);
    layers.push({ mediaType: layer.mediaType, diffId: rootfs.diff_ids[position] as string, blob });
  }
  return {
    digest: descriptor.digest,
    manifest: { mediaType: descriptor.mediaType, blob: blobOfBytes(bytes) },
    config: { mediaType: manifest.config.mediaType, blob: blobOfBytes(config.bytes), value: config.value as OciConfig },
    layers,
  };
}

async function layerBlob(archive: ArchiveFile, { digest, size }: Descriptor, verify: boolean): Promise<Blob> {
  const stretch = requireEntry(archive, blobName(digest));
  const isWhole = stretch.size === size && (!verify || (await digestOfEntry(archive, stretch)) === digest);
  if (!isWhole) throw damaged(archive, digest);
  return blobOfFile(archive.path, digest, size, stretch.offset);
}

async function jsonBlob(archive: ArchiveFile, { digest }: Descriptor): Promise<{ bytes: Buffer; value: unknown }> {
  const blob = await readJson(archive, blobName(digest));
  if (sha256(blob.bytes) !== digest) throw damaged(archive, digest);
  return blob;
}

/** A bare tag (`v1`) in the second annotation is no name: it does not say of what. */
function nameOf({ annotations = {} }: Descriptor): string | undefined {
  const reference = annotations[REF_ANNOTATION];
  return annotations[NAME_ANNOTATION] ?? (reference && /[/:]/.test(reference) ? reference : undefined);
}

function asIndex(archive: ArchiveFile, what: string, value: unknown): OciIndex {
  const { manifests } = (value ?? {}) as Partial<OciIndex>;
  if (Array.isArray(manifests) && manifests.every(isDescriptor)) return value as OciIndex;
  throw notAnImage(archive.path, `${what} in it is not an index of images`);
}

function isDescriptor(value: unknown): value is Descriptor {
  const { mediaType, digest, size } = (value ?? {}) as Partial<Descriptor>;
  return typeof mediaType === 'string' && typeof size === 'number' && isDigest(digest);
}

function isHere({ entries }: ArchiveFile, { digest }: Descriptor): boolean {
  return entries.has(blobName(digest));
}

function blobName(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function damaged({ path }: ArchiveFile, digest: string) {
  return notAnImage(
    path,
    `${digest} in it is damaged: its content has another digest`,
    'Make or copy the archive again.',
  );
}
