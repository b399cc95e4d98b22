/** How kinds are reconciled, owned and watched. */
import type { KubernetesObject } from '@kurator/client';
import type { ControllerOptions } from '../controller/controller-options.ts';
import type { Predicate } from '../controller/predicate.ts';

/** Labels or fields that objects must have: equality, or a selector as kubectl takes it. */
export type LabelChoice = string | Readonly<Record<string, string>>;

/** Which objects of a kind are cached, and what of them: less to hold in memory, and less to hear of. */
export interface CacheChoice<T extends KubernetesObject> {
  /** Only objects with these labels. */
  labels?: LabelChoice;
  /**
   * Only objects with these fields, as the API server can tell them: `{ 'status.phase': 'Running' }`, or a selector as kubectl
   * takes it. Every kind has `metadata.name` and `metadata.namespace`; a custom one those of its `selectableFields`.
   */
  fields?: LabelChoice;
  /**
   * Only `metadata` is asked for and kept, so that `get` and `list` give nothing else, nor does `apply` where it had nothing to
   * send. False unless given.
   */
  metadataOnly?: boolean;
  /** What is kept of each object: give back what is left, and let go of what nobody reads. All unless given. */
  transform?: (object: T) => T;
}

/** How one kind is reconciled. */
export interface ControllerSettings<T extends KubernetesObject, Clusters extends string = string>
  extends CacheChoice<T>,
    Pick<ControllerOptions<T>, 'concurrency' | 'resync' | 'timeout' | 'backoff' | 'retryRate'> {
  /**
   * What metrics and logs call it; the kind in lower case unless given. Needed only where an operator has several
   * controllers of one kind; children of one that has a name of its own are written under that name too.
   */
  name?: string;
  /** Which changes of the object itself count; all but the operator's own writes of its status unless given. */
  predicate?: Predicate<T>;
  /**
   * The condition that the SDK keeps: `True` after a success that doesn't say otherwise, `False` with the reason after a
   * failure. `Ready` unless given, false for none; kinds that were not made by `resource` have none unless it is given.
   */
  readyCondition?: string | false;
  /** The cluster that the objects are in; the operator's own unless given. */
  cluster?: Clusters;
  /**
   * Runs it in every replica, for all objects, whoever leads: for what each process keeps for itself, such as routes or
   * configuration in memory. Its client then writes in every replica too; what it writes must be the same whoever does. False (only
   * the leader, or each replica for its share) unless given.
   */
  everyReplica?: boolean;
}

/** What of a kind is watched. */
export interface WatchSettings<C extends KubernetesObject, Clusters extends string = string> extends CacheChoice<C> {
  /** Which changes count; all unless given. */
  predicate?: Predicate<C>;
  /** The cluster that they are in; that of the reconciled objects unless given. */
  cluster?: Clusters;
}

/** How children are owned. */
export interface OwnSettings<C extends KubernetesObject, Clusters extends string = string>
  extends WatchSettings<C, Clusters> {
  /**
   * Children may be in other namespaces than the object. Kubernetes then can't tell whose they are: they are marked by
   * labels, and deleted by the operator, which holds the object by a finalizer until that is done. The same holds by
   * itself for children in another cluster, and for children of the whole cluster whose owner is in a namespace.
   */
  otherNamespaces?: boolean;
  /**
   * One child may have several of the objects as owners: none of them is its controller, and it goes with the last of them. All must
   * want the same of it. It is never pruned, and none of them can `remove` or `release` it. False unless given.
   */
  shared?: boolean;
  /**
   * Whether a child is deleted when the set of `applyAll` no longer has it. True unless given, but false for kinds that
   * hold data: PersistentVolumeClaim, PersistentVolume, Secret, StatefulSet, Namespace, CustomResourceDefinition, and
   * every custom resource. A child that is not pruned stays, and still goes with its object.
   */
  prune?: boolean;
}
