/** Volumes, claims and classes: fields that are used so far, optional where the API's own schema says so. */
import type { Condition, KubernetesObject, LabelSelector } from '../object.ts';
import { resourceType } from '../resource-type.ts';
import type { ResourceRequirements } from './core.ts';

/** By how many nodes or pods a volume can be used at once. */
export type AccessMode = 'ReadWriteOnce' | 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOncePod';
/** A folder with files, or a bare device. */
export type VolumeMode = 'Filesystem' | 'Block';

/** Storage that outlives pods. */
export interface PersistentVolume extends KubernetesObject {
  spec?: PersistentVolumeSpec;
  status?: {
    phase?: 'Pending' | 'Available' | 'Bound' | 'Released' | 'Failed';
    reason?: string;
    message?: string;
    lastPhaseTransitionTime?: string;
  };
}
export const PersistentVolume = resourceType<PersistentVolume>('v1', 'PersistentVolume', { namespaced: false });

/** Where a volume is and what becomes of it. */
export interface PersistentVolumeSpec {
  capacity?: Record<string, string>;
  accessModes?: AccessMode[];
  volumeMode?: VolumeMode;
  storageClassName?: string;
  persistentVolumeReclaimPolicy?: 'Retain' | 'Delete' | 'Recycle';
  claimRef?: {
    apiVersion?: string;
    kind?: string;
    name?: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
  };
  local?: { path: string; fsType?: string };
  hostPath?: { path: string; type?: string };
  nodeAffinity?: { required?: { nodeSelectorTerms: NodeSelectorTerm[] } };
  mountOptions?: string[];
}

/** Nodes by their labels or fields. */
export interface NodeSelectorTerm {
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
  matchFields?: { key: string; operator: string; values?: string[] }[];
}

/** A wish for a volume. */
export interface PersistentVolumeClaim extends KubernetesObject {
  spec?: PersistentVolumeClaimSpec;
  status?: {
    phase?: 'Pending' | 'Bound' | 'Lost';
    accessModes?: AccessMode[];
    capacity?: Record<string, string>;
    conditions?: Condition[];
  };
}
export const PersistentVolumeClaim = resourceType<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim');

/** What is wished for. */
export interface PersistentVolumeClaimSpec {
  accessModes?: AccessMode[];
  resources?: ResourceRequirements;
  storageClassName?: string;
  volumeMode?: VolumeMode;
  volumeName?: string;
  selector?: LabelSelector;
  dataSource?: { apiGroup?: string; kind: string; name: string };
  dataSourceRef?: { apiGroup?: string; kind: string; name: string; namespace?: string };
}

/** Who makes volumes, and how. */
export interface StorageClass extends KubernetesObject {
  provisioner: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: 'Delete' | 'Retain';
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
  allowVolumeExpansion?: boolean;
  mountOptions?: string[];
}
export const StorageClass = resourceType<StorageClass>('storage.k8s.io/v1', 'StorageClass', { namespaced: false });
