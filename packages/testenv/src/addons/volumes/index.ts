/** Dynamic local volumes: a default StorageClass, and the provisioner behind it. */
export { createDiskVolumeHost } from './disk-volume-host.ts';
export { startVolumeProvisioner } from './provisioner.ts';
export type { VolumeHost } from './volume-host.ts';
