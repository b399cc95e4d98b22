import type { KubernetesObject } from './object.ts';

/** What a watch says. A failure that the server reports inside the stream is thrown, not yielded. */
export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Nothing changed: the object has only a `metadata.resourceVersion`, at which a later watch can begin. */
  | { readonly type: 'BOOKMARK'; readonly object: Bookmark };

/** The object of a BOOKMARK event. */
export interface Bookmark {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** True for the bookmark after the last of the initial events, see `sendInitialEvents`: everything there was has come. */
export function isInitialEventsEnd(event: WatchEvent<KubernetesObject>): boolean {
  return event.type === 'BOOKMARK' && event.object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}
