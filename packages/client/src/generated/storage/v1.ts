// Generated from the OpenAPI document of Kubernetes by scripts/generate-types.ts: do not edit.
import type { KubernetesObject, LabelSelector } from '../../object.ts';
import { resourceType } from '../../resource-type.ts';
import type { PersistentVolumeSpec, TopologySelectorTerm } from '../core/v1.ts';

/** CSIDriver captures information about a Container Storage Interface (CSI) volume driver deployed on the cluster. */
export interface CSIDriver extends KubernetesObject {
  /** spec represents the specification of the CSI Driver. */
  spec: CSIDriverSpec;
}
export const CSIDriver = resourceType<CSIDriver>('storage.k8s.io/v1', 'CSIDriver', { namespaced: false });

/** CSIDriverSpec is the specification of a CSIDriver. */
export interface CSIDriverSpec {
  /** attachRequired indicates this CSI volume driver requires an attach operation (because it implements the CSI ControllerPublishVolume() method), and that the Kubernetes attach detach controller should … */
  attachRequired?: boolean;
  /** fsGroupPolicy defines if the underlying volume supports changing ownership and permission of the volume before being mounted. */
  fsGroupPolicy?: string;
  /** nodeAllocatableUpdatePeriodSeconds specifies the interval between periodic updates of the CSINode allocatable capacity for this driver. */
  nodeAllocatableUpdatePeriodSeconds?: number;
  /** podInfoOnMount indicates this CSI volume driver requires additional pod information (like podName, podUID, etc.) during mount operations, if set to true. */
  podInfoOnMount?: boolean;
  /** PreventPodSchedulingIfMissing indicates that the CSI driver wants to prevent pod scheduling if the CSI driver on the node is missing. */
  preventPodSchedulingIfMissing?: boolean;
  /** requiresRepublish indicates the CSI driver wants `NodePublishVolume` being periodically called to reflect any possible change in the mounted volume. */
  requiresRepublish?: boolean;
  /** seLinuxMount specifies if the CSI driver supports "-o context" mount option. */
  seLinuxMount?: boolean;
  /** serviceAccountTokenInSecrets is an opt-in for CSI drivers to indicate that service account tokens should be passed via the Secrets field in NodePublishVolumeRequest instead of the VolumeContext field. */
  serviceAccountTokenInSecrets?: boolean;
  /** storageCapacity indicates that the CSI volume driver wants pod scheduling to consider the storage capacity that the driver deployment will report by creating CSIStorageCapacity objects with capacity … */
  storageCapacity?: boolean;
  /** tokenRequests indicates the CSI driver needs pods' service account tokens it is mounting volume for to do necessary authentication. */
  tokenRequests?: TokenRequest[];
  /** volumeLifecycleModes defines what kind of volumes this CSI volume driver supports. */
  volumeLifecycleModes?: string[];
}

/** CSINode holds information about all CSI drivers installed on a node. */
export interface CSINode extends KubernetesObject {
  /** spec is the specification of CSINode */
  spec: CSINodeSpec;
}
export const CSINode = resourceType<CSINode>('storage.k8s.io/v1', 'CSINode', { namespaced: false });

/** CSINodeDriver holds information about the specification of one CSI driver installed on a node */
export interface CSINodeDriver {
  /** allocatable represents the volume resources of a node that are available for scheduling. */
  allocatable?: VolumeNodeResources;
  /** name represents the name of the CSI driver that this object refers to. */
  name: string;
  /** nodeID of the node from the driver point of view. This field enables Kubernetes to communicate with storage systems that do not share the same nomenclature for nodes. */
  nodeID: string;
  /** topologyKeys is the list of keys supported by the driver. When a driver is initialized on a cluster, it provides a set of topology keys that it understands (e.g. */
  topologyKeys?: string[];
}

/** CSINodeSpec holds information about the specification of all CSI drivers installed on a node */
export interface CSINodeSpec {
  /** drivers is a list of information of all CSI Drivers existing on a node. */
  drivers: CSINodeDriver[];
}

/** CSIStorageCapacity stores the result of one CSI GetCapacity call. */
export interface CSIStorageCapacity extends KubernetesObject {
  /** capacity is the value reported by the CSI driver in its GetCapacityResponse for a GetCapacityRequest with topology and parameters that match the previous fields. */
  capacity?: string;
  /** maximumVolumeSize is the value reported by the CSI driver in its GetCapacityResponse for a GetCapacityRequest with topology and parameters that match the previous fields. */
  maximumVolumeSize?: string;
  /** nodeTopology defines which nodes have access to the storage for which capacity was reported. */
  nodeTopology?: LabelSelector;
  /** storageClassName represents the name of the StorageClass that the reported capacity applies to. */
  storageClassName: string;
}
export const CSIStorageCapacity = resourceType<CSIStorageCapacity>('storage.k8s.io/v1', 'CSIStorageCapacity');

/** StorageClass describes the parameters for a class of storage for which PersistentVolumes can be dynamically provisioned. */
export interface StorageClass extends KubernetesObject {
  /** allowVolumeExpansion shows whether the storage class allow volume expand. */
  allowVolumeExpansion?: boolean;
  /** allowedTopologies restrict the node topologies where volumes can be dynamically provisioned. */
  allowedTopologies?: TopologySelectorTerm[];
  /** mountOptions controls the mountOptions for dynamically provisioned PersistentVolumes of this storage class. */
  mountOptions?: string[];
  /** parameters holds the parameters for the provisioner that should create volumes of this storage class. */
  parameters?: Record<string, string>;
  /** provisioner indicates the type of the provisioner. */
  provisioner: string;
  /** reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. */
  reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain';
  /** volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound. */
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
}
export const StorageClass = resourceType<StorageClass>('storage.k8s.io/v1', 'StorageClass', { namespaced: false });

/** TokenRequest contains parameters of a service account token. */
export interface TokenRequest {
  /** audience is the intended audience of the token in "TokenRequestSpec". */
  audience: string;
  /** expirationSeconds is the duration of validity of the token in "TokenRequestSpec". */
  expirationSeconds?: number;
}

/** VolumeAttachment captures the intent to attach or detach the specified volume to/from the specified node. */
export interface VolumeAttachment extends KubernetesObject {
  /** spec represents specification of the desired attach/detach volume behavior. */
  spec: VolumeAttachmentSpec;
  /** status represents status of the VolumeAttachment request. Populated by the entity completing the attach or detach operation, i.e. */
  status?: VolumeAttachmentStatus;
}
export const VolumeAttachment = resourceType<VolumeAttachment>('storage.k8s.io/v1', 'VolumeAttachment', {
  namespaced: false,
});

/** VolumeAttachmentSource represents a volume that should be attached. */
export interface VolumeAttachmentSource {
  /** inlineVolumeSpec contains all the information necessary to attach a persistent volume defined by a pod's inline VolumeSource. */
  inlineVolumeSpec?: PersistentVolumeSpec;
  /** persistentVolumeName represents the name of the persistent volume to attach. */
  persistentVolumeName?: string;
}

/** VolumeAttachmentSpec is the specification of a VolumeAttachment request. */
export interface VolumeAttachmentSpec {
  /** attacher indicates the name of the volume driver that MUST handle this request. */
  attacher: string;
  /** nodeName represents the node that the volume should be attached to. */
  nodeName: string;
  /** source represents the volume that should be attached. */
  source: VolumeAttachmentSource;
}

/** VolumeAttachmentStatus is the status of a VolumeAttachment request. */
export interface VolumeAttachmentStatus {
  /** attachError represents the last error encountered during attach operation, if any. */
  attachError?: VolumeError;
  /** attached indicates the volume is successfully attached. This field must only be set by the entity completing the attach operation, i.e. */
  attached: boolean;
  /** attachmentMetadata is populated with any information returned by the attach operation, upon successful attach, that must be passed into subsequent WaitForAttach or Mount calls. */
  attachmentMetadata?: Record<string, string>;
  /** detachError represents the last error encountered during detach operation, if any. */
  detachError?: VolumeError;
}

/** VolumeAttributesClass represents a specification of mutable volume attributes defined by the CSI driver. */
export interface VolumeAttributesClass extends KubernetesObject {
  /** Name of the CSI driver This field is immutable. */
  driverName: string;
  /** parameters hold volume attributes defined by the CSI driver. */
  parameters?: Record<string, string>;
}
export const VolumeAttributesClass = resourceType<VolumeAttributesClass>('storage.k8s.io/v1', 'VolumeAttributesClass', {
  namespaced: false,
});

/** VolumeError captures an error encountered during a volume operation. */
export interface VolumeError {
  /** errorCode is a numeric gRPC code representing the error encountered during Attach or Detach operations. */
  errorCode?: number;
  /** message represents the error encountered during Attach or Detach operation. */
  message?: string;
  /** time represents the time the error was encountered. */
  time?: string;
}

/** VolumeNodeResources is a set of resource limits for scheduling of volumes. */
export interface VolumeNodeResources {
  /** count indicates the maximum number of unique volumes managed by the CSI driver that can be used on a node. */
  count?: number;
}
