/** What a cache of one kind offers to controllers and authors; the reflector behind it keeps it true. */
import type { KubernetesObject, ObjectReference, ResourceType } from '@kurator/client';
import type { ObjectKey } from '../object-key.ts';

/** Which objects of the cache are meant; everything unless narrowed. */
export interface CacheQuery {
  namespace?: string;
  /** Equality of labels. */
  labels?: Readonly<Record<string, string>>;
}

/**
 * One change of one object. All listeners see the same objects here, so nobody may change them; what `get` and `list`
 * return is the reader's own.
 */
export interface CacheChange<T extends KubernetesObject> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly key: ObjectKey;
  /** The object after the change; before it, for a deletion. */
  object(): T;
  /** The object before the change; undefined for an addition. */
  previous(): T | undefined;
  /** True for what was there before the watch began, or is said again after a relist: not news. */
  readonly initial: boolean;
}

/** Hears of every change, in the order in which they came. */
export type CacheListener<T extends KubernetesObject> = (change: CacheChange<T>) => void;

/** A copy of all objects of one kind, kept true by somebody else; reading it costs no request. */
export interface ObjectCache<T extends KubernetesObject> {
  readonly type: ResourceType<T>;
  /** Whether everything there was at the start has arrived. Reads before that throw. */
  readonly synced: boolean;
  untilSynced(signal?: AbortSignal): Promise<void>;
  get(reference: ObjectReference): T | undefined;
  list(query?: CacheQuery): T[];
  /** Objects for which the index function gave `value`. */
  byIndex(index: string, value: string): T[];
  /**
   * Objects whose controller owner (metadata.ownerReferences) has this uid.
   *
   * @param skip Which of them need not be read; a cache may give them all the same.
   */
  ownedBy(uid: string, skip?: (key: ObjectKey) => boolean): T[];
  /** Called for every change from now on, first for all there is already (as `initial` additions). Returns how to stop. */
  listen(listener: CacheListener<T>): () => void;
  /**
   * Takes in the answer to a write of our own, so that the next read sees it, before the watch brings it. Something newer
   * from the watch is never replaced.
   */
  observe(written: T): void;
  /** Whether this object would be here if it were anywhere: no labels, fields or namespaces leave it out. True unless given. */
  covers?(reference: ObjectReference): boolean;
}
