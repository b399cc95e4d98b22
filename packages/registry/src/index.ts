/**
 * A client of OCI registries: names of images, digests, tags, manifests, blobs and referrers; reading and pushing; log-ins as docker,
 * podman and Kubernetes keep them. Nothing that comes is believed before its digest is right.
 */
export { type Blob, blobOfBytes, blobOfJson, descriptorOf, isDigest, sha256 } from './blob.ts';
export { type CredentialSource, firstOf, type RegistryCredentials } from './credentials/credentials.ts';
export { pullSecretCredentials } from './credentials/docker-config.ts';
export { type DockerCredentialsOptions, dockerCredentials } from './credentials/docker-credentials.ts';
export { RegistryError, type RegistryErrorCode, type RegistryErrorDetails } from './error.ts';
export {
  formatImageName,
  type ImageName,
  normalizeImageName,
  parseImageName,
  type RepositoryName,
  referenceOf,
} from './image-name.ts';
export {
  type Descriptor,
  formatPlatform,
  isIndex,
  MANIFEST_TYPES,
  MEDIA_TYPE,
  machinePlatform,
  manifestFor,
  type OciConfig,
  type OciIndex,
  type OciManifest,
  type OciRuntimeConfig,
  type Platform,
  platformsOf,
} from './oci.ts';
export { type Budget, createRegistryClient, RegistryClient, type RegistryClientOptions } from './registry-client.ts';
export {
  type Attachment,
  type CallOptions,
  type Manifest,
  type PushBlobOptions,
  type ReadOptions,
  type ReferrerOptions,
  Repository,
  type TagOptions,
} from './repository.ts';
export { type ProxySettings, proxiesOf, type RegistrySettings, registryUrl } from './settings.ts';
