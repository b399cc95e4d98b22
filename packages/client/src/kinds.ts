/**
 * The kinds that most programs use, by their bare names. All others are in modules of their own, by API group and
 * version: `import { NetworkPolicy } from '@kurator/client/networking/v1'`.
 */
import type { PersistentVolumeSpec } from './generated/core/v1.ts';

export { APIService } from './generated/apiregistration/v1.ts';
export * from './generated/apps/v1.ts';
export { CronJob, type CronJobSpec, Job, type JobSpec, type JobStatus } from './generated/batch/v1.ts';
export { Lease, type LeaseSpec } from './generated/coordination/v1.ts';
export * from './generated/core/v1.ts';
export { type Endpoint, EndpointSlice } from './generated/discovery/v1.ts';
export { PodDisruptionBudget } from './generated/policy/v1.ts';
export * from './generated/rbac/v1.ts';
export { StorageClass, VolumeAttachment } from './generated/storage/v1.ts';
export * from './kinds/metrics.ts';

/** By how many nodes or pods a volume can be used at once. */
export type AccessMode = NonNullable<PersistentVolumeSpec['accessModes']>[number];
/** A folder with files, or a bare device. */
export type VolumeMode = NonNullable<PersistentVolumeSpec['volumeMode']>;
