/** Dynamic local volumes: a default StorageClass, and the provisioner behind it. */
export { createDiskVolumeHost, type DiskVolumeHostOptions } from './disk-volume-host.ts';
export { startVolumeProvisioner, type VolumeProvisioner, type VolumeProvisionerOptions } from './provisioner.ts';
export type { VolumeHost, VolumeRequest } from './volume-host.ts';
