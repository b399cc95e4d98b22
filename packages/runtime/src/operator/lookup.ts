/** Reading what a controller watches: from the caches, at once and without a request. */
import type { KubernetesObject, ObjectReference, ResourceType } from '@kurator/client';

/** Where to look. */
export interface LookupOptions<Clusters extends string = never> {
  /** Another cluster than the one that the reconciled object is in. */
  cluster?: Clusters;
}

/** Which objects of a kind are meant. */
export interface ListQuery<Clusters extends string = never> extends LookupOptions<Clusters> {
  /** The namespace of the object that all is about unless given; `*` for all that the operator watches. */
  namespace?: string;
  /** Equality of labels. */
  labels?: Readonly<Record<string, string>>;
}

/**
 * What a controller knows of the kinds that it owns, watches or reads, its own among them. Nothing here makes a request;
 * what comes back is the reader's own copy.
 */
export interface Lookup<Indexes extends string = never, Clusters extends string = never> {
  /** One object; by its name alone where it is in the same namespace. */
  get<C extends KubernetesObject>(
    type: ResourceType<C>,
    which: string | ObjectReference,
    options?: LookupOptions<Clusters>,
  ): C | undefined;
  list<C extends KubernetesObject>(type: ResourceType<C>, query?: ListQuery<Clusters>): C[];
  /** Objects that an index has under this value, in all namespaces. */
  byIndex<C extends KubernetesObject>(
    type: ResourceType<C>,
    index: Indexes,
    value: string,
    options?: LookupOptions<Clusters>,
  ): C[];
}

/** An object that is concerned: itself, a reference to it, or its name, if it is in the namespace of what changed. */
export type Concerned = string | ObjectReference | Pick<KubernetesObject, 'metadata'>;

/** Which of the reconciled objects a change of another object concerns. Must be quick. */
export type ConcernedBy<C extends KubernetesObject, Indexes extends string = never, Clusters extends string = never> = (
  changed: C,
  lookup: Lookup<Indexes, Clusters>,
) => Concerned | readonly Concerned[] | undefined;
