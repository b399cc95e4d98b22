import type { ResourceType } from '@kurator/client';
import type { ObjectKey } from '../object-key.ts';

/** Says which controller applied an object; what it applies no longer, it deletes. Set on every child. */
export const managedByLabel = 'kurator.dev/managed-by';

/** What an object, or a whole kind, is called by among those of other kinds. */
export function declarationOf({ apiVersion, kind }: ResourceType, key: ObjectKey = ''): string {
  return `${apiVersion} ${kind} ${key}`;
}
