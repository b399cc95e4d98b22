/** The few shapes of the OCI image specification that this package writes and reads, as plain JSON. */

export const MEDIA_TYPE = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  layerGzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
  dockerIndex: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
} as const;

/** All that a registry may have under an image's name. */
export const MANIFEST_TYPES: readonly string[] = [
  MEDIA_TYPE.index,
  MEDIA_TYPE.dockerIndex,
  MEDIA_TYPE.manifest,
  MEDIA_TYPE.dockerManifest,
];

/** containerd takes the image's name from here, word for word; so it has to be the full one. */
export const NAME_ANNOTATION = 'io.containerd.image.name';
/** Where other tools look: a bare tag, or a full name (buildah, skopeo). */
export const REF_ANNOTATION = 'org.opencontainers.image.ref.name';

export interface Platform {
  os: string;
  architecture: string;
}

export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: Platform;
  annotations?: Record<string, string>;
}

export interface OciIndex {
  schemaVersion: 2;
  mediaType?: string;
  manifests: Descriptor[];
}

export interface OciManifest {
  schemaVersion: 2;
  mediaType?: string;
  config: Descriptor;
  layers: Descriptor[];
}

/** What a container gets when its pod says nothing else; field names are the specification's. */
export interface OciRuntimeConfig {
  User?: string;
  ExposedPorts?: Record<string, object>;
  Env?: string[];
  Entrypoint?: string[];
  Cmd?: string[];
  WorkingDir?: string;
  Labels?: Record<string, string>;
}

export interface OciConfig extends Platform {
  created?: string;
  config?: OciRuntimeConfig;
  rootfs: { type: 'layers'; diff_ids: string[] };
  history?: { created?: string; created_by?: string; empty_layer?: boolean }[];
}

/** The time on everything we write: the same input must give the same bytes. Not 1970, which zip and Python refuse. */
export const IMAGE_TIME = new Date('2000-01-01T00:00:00Z');

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'amd64',
  ia32: '386',
  arm64: 'arm64',
  arm: 'arm',
  ppc64: 'ppc64le',
  riscv64: 'riscv64',
  s390x: 's390x',
};

/** The platform of containers on this machine. */
export function machinePlatform(): Platform {
  return { os: 'linux', architecture: ARCHITECTURES[process.arch] ?? process.arch };
}
