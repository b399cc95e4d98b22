/** The shapes of the OCI image specification, as plain JSON. */

/** What content is, in the words of registries. */
export const MEDIA_TYPE = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  layerGzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
  dockerIndex: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  /** What an artifact without a configuration has in its place. */
  empty: 'application/vnd.oci.empty.v1+json',
} as const;

/** All that a registry may have under an image's name. */
export const MANIFEST_TYPES: readonly string[] = [
  MEDIA_TYPE.index,
  MEDIA_TYPE.dockerIndex,
  MEDIA_TYPE.manifest,
  MEDIA_TYPE.dockerManifest,
];

/** What an image runs on. */
export interface Platform {
  os: string;
  architecture: string;
  /** Such as `v7` of `arm`. */
  variant?: string;
}

/** How one thing in a registry points at another. */
export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: Platform;
  annotations?: Record<string, string>;
  /** What kind of artifact it is, where it is one. */
  artifactType?: string;
}

/** Several manifests under one name: one a platform. */
export interface OciIndex {
  schemaVersion: 2;
  mediaType?: string;
  manifests: Descriptor[];
  annotations?: Record<string, string>;
}

/** One image, or one artifact. */
export interface OciManifest {
  schemaVersion: 2;
  mediaType?: string;
  artifactType?: string;
  config: Descriptor;
  layers: Descriptor[];
  /** What it belongs to: a signature's image. */
  subject?: Descriptor;
  annotations?: Record<string, string>;
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

/** An image's configuration. */
export interface OciConfig extends Platform {
  created?: string;
  config?: OciRuntimeConfig;
  rootfs: { type: 'layers'; diff_ids: string[] };
  history?: { created?: string; created_by?: string; empty_layer?: boolean }[];
}

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

/** Whether a registry's answer is several manifests. */
export function isIndex(content: OciIndex | OciManifest): content is OciIndex {
  return 'manifests' in content;
}

/** The platforms of an index. What is not an image (`unknown/unknown`: an attestation) is left out. */
export function platformsOf({ manifests }: OciIndex): Platform[] {
  return manifests.flatMap(({ platform }) => (platform && platform.os !== 'unknown' ? [platform] : []));
}

/** The manifest of an index for a platform; where no variant is asked for, any will do. */
export function manifestFor({ manifests }: OciIndex, wanted: Platform): Descriptor | undefined {
  return manifests.find(
    ({ platform }) =>
      platform?.os === wanted.os &&
      platform.architecture === wanted.architecture &&
      (wanted.variant === undefined || platform.variant === wanted.variant),
  );
}

/** `linux/arm/v7` */
export function formatPlatform({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');
}
