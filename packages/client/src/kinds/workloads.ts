/** What runs pods: fields that are used so far, optional where the API's own schema says so. */
import type { Condition, KubernetesObject, LabelSelector, ManifestMeta } from '../object.ts';
import { resourceType } from '../resource-type.ts';
import type { PodSpec } from './core.ts';
import type { PersistentVolumeClaimSpec } from './storage.ts';

/** The pods that a workload makes. */
export interface PodTemplateSpec {
  metadata?: ManifestMeta;
  spec?: PodSpec;
}

/** Interchangeable pods, rolled out by revision. */
export interface Deployment extends KubernetesObject {
  spec?: {
    selector: LabelSelector;
    template: PodTemplateSpec;
    replicas?: number;
    strategy?: Record<string, unknown>;
    minReadySeconds?: number;
    progressDeadlineSeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    updatedReplicas?: number;
    unavailableReplicas?: number;
    conditions?: Condition[];
  };
}
export const Deployment = resourceType<Deployment>('apps/v1', 'Deployment');

/** Pods with names and volumes of their own. */
export interface StatefulSet extends KubernetesObject {
  spec?: {
    selector: LabelSelector;
    template: PodTemplateSpec;
    serviceName?: string;
    replicas?: number;
    podManagementPolicy?: 'OrderedReady' | 'Parallel';
    volumeClaimTemplates?: { metadata?: ManifestMeta; spec?: PersistentVolumeClaimSpec }[];
    updateStrategy?: Record<string, unknown>;
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  };
  status?: {
    observedGeneration?: number;
    replicas: number;
    readyReplicas?: number;
    currentReplicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    conditions?: Condition[];
  };
}
export const StatefulSet = resourceType<StatefulSet>('apps/v1', 'StatefulSet');

/** One pod a node. */
export interface DaemonSet extends KubernetesObject {
  spec?: { selector: LabelSelector; template: PodTemplateSpec; updateStrategy?: Record<string, unknown> };
  status?: {
    observedGeneration?: number;
    desiredNumberScheduled: number;
    currentNumberScheduled: number;
    numberMisscheduled: number;
    numberReady: number;
    numberAvailable?: number;
    updatedNumberScheduled?: number;
  };
}
export const DaemonSet = resourceType<DaemonSet>('apps/v1', 'DaemonSet');

/** A number of the same pods: one revision of a Deployment. */
export interface ReplicaSet extends KubernetesObject {
  spec?: { selector: LabelSelector; template?: PodTemplateSpec; replicas?: number };
  status?: { observedGeneration?: number; replicas: number; readyReplicas?: number; availableReplicas?: number };
}
export const ReplicaSet = resourceType<ReplicaSet>('apps/v1', 'ReplicaSet');

/** Pods that run to their end. */
export interface Job extends KubernetesObject {
  spec?: {
    template: PodTemplateSpec;
    parallelism?: number;
    completions?: number;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
  };
  status?: {
    active?: number;
    ready?: number;
    succeeded?: number;
    failed?: number;
    startTime?: string;
    completionTime?: string;
    conditions?: Condition[];
  };
}
export const Job = resourceType<Job>('batch/v1', 'Job');
