/** Clusters of PostgreSQL: who may write, decided by one record and by the promises of those who acknowledge. */
export type { Disk, InstanceView, Memory, Postgres } from './brain/instance.ts';
export type { FreezeAnswer, FreezeRequest, GrantAnswer, GrantRequest } from './brain/messages.ts';
export type { Beginning, ClusterRecord, Position, Stage, SyncSet } from './brain/record.ts';
