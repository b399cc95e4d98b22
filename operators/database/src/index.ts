/** Clusters of PostgreSQL: who may write, decided by one record and by the promises of those who acknowledge. */
export { firstRecord, nextStep, sightingAfter } from './brain/coordinator.ts';
export { duty } from './brain/duty.ts';
export { EMPTY_DISK, freshMemory } from './brain/instance.ts';
export { grantRequest, grantsAfter, renewal } from './brain/lease.ts';
export { freeze, grant } from './brain/promise.ts';
export { opens, syncStep } from './brain/sync.ts';
export { TIMES } from './brain/times.ts';
