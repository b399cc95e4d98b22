import type { ResourceType } from '@kurator/client';
import type { ObjectKey } from '../object-key.ts';

/** Says which controller applied an object; what it applies no longer, it deletes. Set on every child. */
export const managedByLabel = 'kurator.dev/managed-by';

/** The uid of the owner, on a child that has no owner reference: says whose it is, also when there is another of the owner's name. */
export const ownerLabel = 'kurator.dev/owner-uid';
/** `MyApp.example.com namespace/name`, on the same: says whom to reconcile when the child changes. */
export const ownerAnnotation = 'kurator.dev/owner';

/** What an object, or a whole kind, is called by among those of other kinds. */
export function declarationOf({ apiVersion, kind }: ResourceType, key: ObjectKey = ''): string {
  return `${apiVersion} ${kind} ${key}`;
}
