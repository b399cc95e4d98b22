/** Image archives in the forms that other tools write. */
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { type Descriptor, MEDIA_TYPE, machinePlatform, type Platform, sha256 } from '@kurator/registry';
import { fileEntry, type TarEntry, tarStream } from '../../src/images/internal/tar-writer.ts';

/** An empty tar: the smallest layer there is. */
const LAYER = Buffer.alloc(1024);

const config = (platform: Platform) =>
  // Spaces, as other tools have them: the digest must be kept, not computed from the parsed value.
  JSON.stringify({ ...platform, config: {}, rootfs: { type: 'layers', diff_ids: [sha256(LAYER)] } }, undefined, 2);

/** As `docker save` did before it wrote OCI layouts. */
export function dockerSave({ names, gzip = false }: { names: string[]; gzip?: boolean }): Readable {
  const json = config(machinePlatform());
  const configName = `${sha256(json).slice('sha256:'.length)}.json`;
  return tarStream([
    fileEntry('layer1/layer.tar', gzip ? gzipSync(LAYER) : LAYER),
    fileEntry(configName, json),
    fileEntry('manifest.json', JSON.stringify([{ Config: configName, RepoTags: names, Layers: ['layer1/layer.tar'] }])),
  ]);
}

export interface OciArchiveOptions {
  annotations?: Record<string, string>;
  /** One image each; the machine's unless told. */
  architectures?: string[];
  /** Put the images into an index inside the index, beside one that is missing and a build attestation. */
  nested?: boolean;
}

/** An OCI layout as skopeo, buildah or a newer `docker save` write it. */
export function ociArchive({ annotations = {}, architectures, nested = false }: OciArchiveOptions): Readable {
  const blobs: TarEntry[] = [];
  const add = (mediaType: string, bytes: string | Buffer): Descriptor => {
    const digest = sha256(bytes);
    blobs.push(fileEntry(`blobs/${digest.replace(':', '/')}`, bytes));
    return { mediaType, digest, size: Buffer.byteLength(bytes) };
  };
  const layer = add(MEDIA_TYPE.layer, LAYER);
  const platforms = (architectures ?? [machinePlatform().architecture]).map((architecture) => ({
    os: 'linux',
    architecture,
  }));
  const manifests = platforms.map((platform) => {
    const descriptor = add('application/vnd.docker.container.image.v1+json', config(platform));
    return {
      ...add(MEDIA_TYPE.manifest, JSON.stringify({ schemaVersion: 2, config: descriptor, layers: [layer] })),
      platform,
    };
  });
  const missing = { ...layer, mediaType: MEDIA_TYPE.manifest, digest: `sha256:${'0'.repeat(64)}` };
  const attestation = { ...(manifests[0] as Descriptor), platform: { os: 'unknown', architecture: 'unknown' } };
  const index = JSON.stringify({ schemaVersion: 2, manifests: [missing, attestation, ...manifests] });
  const top = nested ? [add(MEDIA_TYPE.index, index)] : manifests;
  const entries = top.map((descriptor) => ({ ...descriptor, annotations }));
  return tarStream([
    ...blobs,
    fileEntry('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    fileEntry('index.json', JSON.stringify({ schemaVersion: 2, manifests: entries })),
  ]);
}
