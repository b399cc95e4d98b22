/**
 * Which fields of an object are ours, as the server told in the answer to an apply (managedFields, FieldsV1), and what
 * they are in another version of that object.
 */
import type { KubernetesObject } from '@kurator/client';
import { isJsonObject, type JsonObject, sameJson } from './json.ts';

/**
 * A tree like the object's own. Its names say what a branch is: `f:` a field, `k:` the list item with these keys, `v:`
 * the item of this value, `i:` the item at this place, `.` the branch itself. An empty branch is ours as a whole.
 */
export type FieldSet = JsonObject;

/** What a manager owns by apply, without owner references, which are compared otherwise; undefined if it owns nothing. */
export function fieldsOwnedBy(manager: string, { metadata }: KubernetesObject): FieldSet | undefined {
  const entry = metadata.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && !entry.subresource,
  );
  const fields = entry?.fieldsV1;
  if (!fields || !isJsonObject(fields['f:metadata'])) return fields;
  const { 'f:ownerReferences': _, ...rest } = fields['f:metadata'];
  return { ...fields, 'f:metadata': rest };
}

/** Only the owned part of a value: what it is there, and that it is missing where it is. */
export function project(value: unknown, fields: FieldSet): unknown {
  const names = Object.keys(fields);
  if (names.length === 0) return value ?? null;
  const part: Record<string, unknown> = {};
  for (const name of names) {
    const child = fields[name];
    if (name !== '.' && isJsonObject(child)) part[name] = project(select(value, name), child);
  }
  return part;
}

function select(value: unknown, name: string): unknown {
  const what = name.slice(2);
  if (name.startsWith('f:')) return isJsonObject(value) ? value[what] : undefined;
  if (!Array.isArray(value)) return undefined;
  if (name.startsWith('i:')) return value[Number(what)];
  const wanted: unknown = JSON.parse(what);
  if (name.startsWith('v:')) return value.find((item) => sameJson(item, wanted));
  return value.find((item) => isJsonObject(wanted) && hasKeys(item, wanted));
}

function hasKeys(item: unknown, keys: JsonObject): boolean {
  return isJsonObject(item) && Object.keys(keys).every((key) => sameJson(item[key], keys[key]));
}
