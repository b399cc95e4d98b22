/** What a program does with a kind, as far as permissions are concerned. */
import type { ResourceType } from '@kurator/client';

/** The verbs that Kubernetes knows for objects. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** That something is done with objects of a kind. */
export interface Usage {
  readonly type: ResourceType;
  readonly verbs: readonly Verb[];
  /** The subresources that it is done with, for example `status`, instead of the objects themselves. */
  readonly subresources?: readonly string[];
  /** The names of the objects; all unless given. */
  readonly names?: readonly string[];
  /** The namespace that it is done in; all unless given. Says nothing for kinds of the whole cluster. */
  readonly namespace?: string;
}

/** The verbs that common things need. */
export const verbsTo = {
  /** Read single objects. */
  read: ['get'],
  /** Hold a cache of them. */
  watch: ['get', 'list', 'watch'],
  /** Write them by server-side apply. */
  apply: ['create', 'patch'],
  /** Own them: cache, apply and delete. */
  own: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
} as const satisfies Record<string, readonly Verb[]>;
