/** What every Kubernetes object has: plain JSON, nothing to deserialise. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object of a kind that has no TypeScript interface. */
export interface UntypedObject extends KubernetesObject {
  // biome-ignore lint/suspicious/noExplicitAny: the shape is known only to the one who asks for it.
  [field: string]: any;
}

/** Metadata as the server returns it. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  /** Opaque: compare for equality only. */
  resourceVersion?: string;
  /** Grows with each change of the spec. */
  generation?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  /** RFC 3339. */
  creationTimestamp?: string;
  /** RFC 3339; set once deletion was asked for and finalizers are awaited. */
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  managedFields?: ManagedFieldsEntry[];
}

/** An object that this one belongs to, and with which it is garbage collected. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Which fields a field manager owns, since when. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** Metadata as a caller writes it: `generateName` may stand in for `name`. */
export type ManifestMeta = Partial<ObjectMeta>;

/** An object as a caller writes it: `apiVersion` and `kind` come from the resource type, and the server fills in the rest. */
export type Manifest<T extends KubernetesObject> = Omit<T, keyof KubernetesObject> & {
  apiVersion?: string;
  kind?: string;
  metadata: ManifestMeta;
};

/** A page of objects, or all of them. */
export interface KubernetesList<T extends KubernetesObject> {
  apiVersion: string;
  kind: string;
  metadata: {
    resourceVersion?: string;
    /** Pass it as `continue` to get the next page; absent or empty on the last one. */
    continue?: string;
    remainingItemCount?: number;
  };
  items: T[];
}

/** The server's answer where it isn't an object: a failure, or the outcome of a delete. */
export interface Status {
  apiVersion?: string;
  kind: 'Status';
  status?: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  code?: number;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    retryAfterSeconds?: number;
    causes?: { field?: string; reason?: string; message?: string }[];
  };
}

/** A condition after the API conventions. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  observedGeneration?: number;
}

/** Selects objects by their labels. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}
