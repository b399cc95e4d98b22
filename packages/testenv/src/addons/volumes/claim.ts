/** What a claim asks for, and the PersistentVolume that grants it. Pure: no API server, no disk. */
import {
  type Manifest,
  type PersistentVolume,
  type PersistentVolumeClaim,
  quantityToInteger,
  type StorageClass,
} from '@kurator/client';
import { provisionerName } from './storage-class.ts';
import type { VolumeRequest } from './volume-host.ts';

/** Set by the scheduler once it knows on which node the claim's pod will run. */
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

/** Keeps a PersistentVolume until its data is deleted. */
export const volumeFinalizer = 'kurator.dev/local-volume';

/** What is to be done about a claim. */
export type ClaimPlan =
  /** Not ours, or not yet: someone else, or the scheduler, is to act. */
  | { readonly action: 'wait' }
  /** Can't be granted as it is written. */
  | { readonly action: 'refuse'; readonly why: string }
  | { readonly action: 'provision'; readonly node: string; readonly volume: VolumeRequest };

/** The name of a claim's volume: the same after any crash, and different for a later claim of the same name. */
export function volumeName(claim: PersistentVolumeClaim): string {
  return `pvc-${claim.metadata.uid}`;
}

/** Decides about a claim of a class; `storageClass` is undefined where there is none of that name. */
export function planClaim(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): ClaimPlan {
  const { metadata, spec = {} } = claim;
  if (storageClass?.provisioner !== provisionerName) return { action: 'wait' };
  if (spec.volumeName || metadata.deletionTimestamp) return { action: 'wait' };
  const why = objections.map((objection) => objection(claim, storageClass)).find((text) => text !== undefined);
  if (why !== undefined) return { action: 'refuse', why };
  const node = metadata.annotations?.[selectedNodeAnnotation];
  if (!node) return { action: 'wait' };
  return { action: 'provision', node, volume: { name: volumeName(claim), bytes: requestedBytes(claim) } };
}

type Objection = (claim: PersistentVolumeClaim, storageClass: StorageClass) => string | undefined;

const grantedModes = new Set(['ReadWriteOnce', 'ReadWriteOncePod']);

const objections: readonly Objection[] = [
  ({ spec }) => {
    const mode = spec?.accessModes?.find((wanted) => !grantedModes.has(wanted));
    return (
      mode &&
      `access mode ${mode} needs storage that several nodes share; local volumes are on one node: use ReadWriteOnce`
    );
  },
  ({ spec }) =>
    spec?.volumeMode === 'Block' ? 'volume mode Block is not supported by local volumes: use Filesystem' : undefined,
  ({ spec }) =>
    spec?.selector
      ? 'a selector can only choose among volumes that exist, and this class makes new ones: leave it out'
      : undefined,
  ({ spec }) =>
    spec?.dataSource || spec?.dataSourceRef
      ? 'local volumes begin empty: leave out dataSource and dataSourceRef'
      : undefined,
  (_, { metadata, volumeBindingMode }) =>
    volumeBindingMode === 'WaitForFirstConsumer'
      ? undefined
      : `storage class "${metadata.name}" binds at once, before it is known on which node the volume is needed: give it volumeBindingMode WaitForFirstConsumer`,
];

function requestedBytes({ spec }: PersistentVolumeClaim): bigint {
  return quantityToInteger(spec?.resources?.requests?.storage ?? '0');
}

/** What a volume is made from. */
export interface VolumeSource {
  claim: PersistentVolumeClaim;
  storageClass: StorageClass;
  node: string;
  /** Where the node's kubelet finds the data. */
  path: string;
}

/** The PersistentVolume for a claim, bound to it, and to the node that its data is on. */
export function volumeFor({ claim, storageClass, node, path }: VolumeSource): Manifest<PersistentVolume> {
  const { name, namespace, uid } = claim.metadata;
  return {
    metadata: {
      name: volumeName(claim),
      labels: { 'kubernetes.io/hostname': node },
      annotations: { 'pv.kubernetes.io/provisioned-by': provisionerName },
      finalizers: [volumeFinalizer],
    },
    spec: {
      capacity: { storage: claim.spec?.resources?.requests?.storage ?? '0' },
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      volumeMode: 'Filesystem',
      storageClassName: storageClass.metadata.name,
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        name,
        ...(namespace ? { namespace } : {}),
        ...(uid ? { uid } : {}),
      },
      local: { path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
          ],
        },
      },
    },
  };
}

/** What is to be done about a PersistentVolume. */
export type VolumePlan =
  | { readonly action: 'keep' }
  /** Its claim is gone: delete data and object. */
  | { readonly action: 'reclaim'; readonly node: string }
  /** Someone deleted the object of a volume whose data is to be kept: let go of it. */
  | { readonly action: 'let-go' };

// While this one is there, the volume is still bound.
const protection = 'kubernetes.io/pv-protection';

/** Decides about a PersistentVolume. */
export function planVolume(volume: PersistentVolume): VolumePlan {
  const { metadata, spec, status } = volume;
  if (metadata.annotations?.['pv.kubernetes.io/provisioned-by'] !== provisionerName) return { action: 'keep' };
  const isDeleted = metadata.deletionTimestamp !== undefined && !metadata.finalizers?.includes(protection);
  const isReleased = status?.phase === 'Released' || isDeleted;
  if (spec?.persistentVolumeReclaimPolicy === 'Delete' && isReleased)
    return { action: 'reclaim', node: nodeOf(volume) };
  if (isDeleted && metadata.finalizers?.includes(volumeFinalizer)) return { action: 'let-go' };
  return { action: 'keep' };
}

function nodeOf({ spec }: PersistentVolume): string {
  return spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values?.[0] ?? '';
}
