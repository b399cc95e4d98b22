import type { Blob } from './blob.ts';
import type { Layer } from './layer.ts';
import { type Descriptor, MEDIA_TYPE, type OciManifest } from './oci.ts';

/** The manifest that ties a configuration and its layers together. */
export function manifestOf(config: { mediaType: string; blob: Blob }, layers: readonly Layer[]): OciManifest {
  return {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.manifest,
    config: descriptorOf(config.mediaType, config.blob),
    layers: layers.map(({ mediaType, blob }) => descriptorOf(OCI_LAYERS[mediaType] ?? mediaType, blob)),
  };
}

/** The same bytes under another name: a manifest should not mix both families. */
const OCI_LAYERS: Record<string, string> = {
  'application/vnd.docker.image.rootfs.diff.tar': MEDIA_TYPE.layer,
  'application/vnd.docker.image.rootfs.diff.tar.gzip': MEDIA_TYPE.layerGzip,
};

export function descriptorOf(mediaType: string, { digest, size }: Blob): Descriptor {
  return { mediaType, digest, size };
}
