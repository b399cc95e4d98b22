/** Lays a person's fields over ours, as `kubectl patch` would: objects field by field, lists of named things by name. */

type Fields = Readonly<Record<string, unknown>>;

/** What is said in `over` wins; null takes away. */
export function merge<T extends object>(base: T, over: object): T {
  const merged = { ...base } as Record<string, unknown>;
  for (const [name, value] of Object.entries(over)) {
    if (value === null) delete merged[name];
    else merged[name] = mergeValue(merged[name], value);
  }
  return merged as T;
}

function mergeValue(base: unknown, over: unknown): unknown {
  if (isFields(base) && isFields(over)) return merge(base, over);
  if (isNamedList(base) && isNamedList(over)) return mergeLists(base, over);
  return over;
}

type Named = Fields & { readonly name: string };

/** Those of the same name become one, in their old place; the others follow. */
function mergeLists(base: readonly Named[], over: readonly Named[]): Named[] {
  const byName = new Map(over.map((item) => [item.name, item]));
  const kept = base.map((item) => {
    const mine = byName.get(item.name);
    return mine ? merge(item, mine) : item;
  });
  const known = new Set(base.map(({ name }) => name));
  return [...kept, ...over.filter(({ name }) => !known.has(name))];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNamedList(value: unknown): value is readonly Named[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => isFields(item) && typeof item.name === 'string')
  );
}
