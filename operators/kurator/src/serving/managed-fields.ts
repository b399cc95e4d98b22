/**
 * Which fields of an object are whose, as the server keeps it. A field that a manager applied once and applies no more is
 * removed, unless it is taken off this list before.
 */
import type { ObjectMeta } from '@kurator/sdk';

type Entry = NonNullable<ObjectMeta['managedFields']>[number];

/** Fields as the server writes them: `{ 'f:spec': { 'f:replicas': {} } }`. */
export type OwnedFields = { readonly [name: string]: OwnedFields | undefined };

/** The list in which what a manager has applied is no more than `keep` leaves of it. */
export function withoutFields(
  managedFields: readonly Entry[],
  manager: string,
  keep: (fields: OwnedFields) => OwnedFields,
): Entry[] {
  return managedFields.map((entry) =>
    isAppliedBy(entry, manager) ? { ...entry, fieldsV1: keep(entry.fieldsV1 as OwnedFields) } : entry,
  );
}

/** What a manager has applied. */
export function appliedFields(managedFields: readonly Entry[], manager: string): OwnedFields {
  return (managedFields.find((entry) => isAppliedBy(entry, manager))?.fieldsV1 ?? {}) as OwnedFields;
}

function isAppliedBy({ manager, operation, subresource }: Entry, name: string): boolean {
  return manager === name && operation === 'Apply' && !subresource;
}
