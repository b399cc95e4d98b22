import { type Blob, descriptorOf, MEDIA_TYPE, type OciManifest } from '@kurator/registry';
import type { Layer } from './layer.ts';

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
