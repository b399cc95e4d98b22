/**
 * Container images without an engine: built as OCI archives by this process, from a folder, a static program, a Node
 * bundle or Debian packages; checked; and pushed to a registry. Loading them into nodes is the cluster's part.
 */
export type { BuildOptions, FileContent } from './build.ts';
export { BUSYBOX_IMAGE, type BusyboxOptions, busyboxImage } from './busybox-image.ts';
export { type EtcdImageRequest, etcdImage } from './etcd-image.ts';
export type { ImageArchive } from './image-archive.ts';
export { findArchive } from './image-archive.ts';
export type { ImageConfig } from './image-config.ts';
export { imageFromBinary } from './image-from-binary.ts';
export { type FolderOptions, imageFromFolder } from './image-from-folder.ts';
export { imageFromNodeBundle, type NodeBundleOptions, nodeInBase } from './image-from-node-bundle.ts';
export { imageFromPackages, type PackagesOptions } from './image-from-packages.ts';
export { type FromArchiveOptions, imagesFromArchive } from './images-from-archive.ts';
export { type InspectedArchive, type InspectedImage, inspectArchive } from './inspect-archive.ts';
export { nodeRuntimeFiles } from './internal/node-runtime.ts';
export { PAUSE_IMAGE, pauseImage } from './pause-image.ts';
export { imageForPlatforms } from './platform-index.ts';
export { type PullOptions, pullImage } from './pull-image.ts';
export { type PushedImage, type PushOptions, pushImage } from './push-image.ts';
