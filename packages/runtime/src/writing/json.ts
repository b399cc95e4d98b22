/** Plain JSON values compared and told apart; a field that is undefined counts as absent, as it does when it is sent. */
import { hash } from 'node:crypto';

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two values would be the same once sent; the order of fields doesn't count, that of list items does. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  }
  return isJsonObject(a) && isJsonObject(b) && sameFields(a, b);
}

function sameFields(a: JsonObject, b: JsonObject): boolean {
  for (const name of Object.keys(a)) if (!sameJson(a[name], b[name])) return false;
  for (const name of Object.keys(b)) if (b[name] !== undefined && a[name] === undefined) return false;
  return true;
}

/** A short text that is the same for values that are the same, and practically never otherwise. */
export function fingerprintOf(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'base64url');
}

/** The one text of a value: fields in the order of their names, nothing left out by accident of where it came from. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  let text = '';
  for (const name of Object.keys(value).sort()) {
    const field = value[name];
    if (field !== undefined) text += `${text ? ',' : ''}${JSON.stringify(name)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}

/**
 * A short text that is the same for values that are the same, whatever the order of their fields: 32 characters that fit
 * into a label or an annotation. In a pod template, it replaces the pods when what they read has changed.
 */
export function checksum(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex').slice(0, 32);
}
