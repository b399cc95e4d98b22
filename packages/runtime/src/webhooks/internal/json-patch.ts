/** The JSON patch (RFC 6902) that turns one value into another, and says no more than it must. */
import { isJsonObject, type JsonObject, sameJson } from '../../writing/json.ts';

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

export function jsonPatch(before: unknown, after: unknown, path = ''): PatchOperation[] {
  if (sameJson(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listPatch(before, after, path);
  if (isJsonObject(before) && isJsonObject(after)) return objectPatch(before, after, path);
  return [{ op: 'replace', path, value: after }];
}

function objectPatch(before: JsonObject, after: JsonObject, path: string): PatchOperation[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Array.from(names).flatMap((name): PatchOperation[] => {
    const place = `${path}/${escaped(name)}`;
    const [old, value] = [before[name], after[name]];
    // A field that is undefined is absent, as it would be when sent.
    if (old === undefined) return value === undefined ? [] : [{ op: 'add', path: place, value }];
    if (value === undefined) return [{ op: 'remove', path: place }];
    return jsonPatch(old, value, place);
  });
}

/** What both begin and end with stays; of the rest each item becomes its counterpart, and more are added or removed. */
function listPatch(before: readonly unknown[], after: readonly unknown[], path: string): PatchOperation[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && sameJson(before[head], after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && sameJson(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const old = before.slice(head, before.length - tail);
  const wanted = after.slice(head, after.length - tail);
  const place = (index: number) => `${path}/${head + index}`;
  const both = Math.min(old.length, wanted.length);
  return [
    ...old.slice(0, both).flatMap((item, index) => jsonPatch(item, wanted[index], place(index))),
    // From the end, so that no index moves before it is used.
    ...old
      .slice(both)
      .map((_, index): PatchOperation => ({ op: 'remove', path: place(both + index) }))
      .reverse(),
    ...wanted
      .slice(both)
      .map((value, index): PatchOperation => ({ op: 'add', path: place(both + index), value: value ?? null })),
  ];
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
