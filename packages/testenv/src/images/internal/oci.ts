/** What this package writes into images beyond what a registry needs to know. */
import { type Blob, descriptorOf, MEDIA_TYPE, type OciManifest } from '@kurator/registry';

/** containerd takes the image's name from here, word for word; so it has to be the full one. */
export const NAME_ANNOTATION = 'io.containerd.image.name';
/** Where other tools look: a bare tag, or a full name (buildah, skopeo). */
export const REF_ANNOTATION = 'org.opencontainers.image.ref.name';

/** The time on everything we write: the same input must give the same bytes. Not 1970, which zip and Python refuse. */
export const IMAGE_TIME = new Date('2000-01-01T00:00:00Z');

/** The manifest that ties a configuration and its layers together. */
export function manifestOf(
  config: { mediaType: string; blob: Blob },
  layers: readonly { readonly mediaType: string; readonly blob: Blob }[],
): OciManifest {
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
