import { isJsonObject, type JsonObject } from '../../writing/json.ts';

/** A merge patch that removes what others have put into these fields of an object; undefined if nobody has. */
export function surplusOf(live: object, wanted: object, fields: readonly string[]): object | undefined {
  const patches = fields.flatMap((field) => {
    const there = (live as JsonObject)[field];
    const meant = (wanted as JsonObject)[field];
    if (!isJsonObject(there)) return [];
    const extra = Object.keys(there).filter((name) => !isJsonObject(meant) || meant[name] === undefined);
    return extra.length > 0 ? [[field, Object.fromEntries(extra.map((name) => [name, null]))]] : [];
  });
  return patches.length > 0 ? Object.fromEntries(patches) : undefined;
}
