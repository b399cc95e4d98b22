/** What a change of a schema does to objects that are stored, and to clients that write. */
import { isDeepStrictEqual } from 'node:util';
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { Finding } from './finding.ts';
import { tightenedLimits } from './limits.ts';

const migrate = 'rewrite the objects first, or make it a new version with a conversion';

/** What goes wrong when `next` takes the place of `before`. */
export function* schemaFindings(before: JSONSchemaProps, next: JSONSchemaProps, path: string): Generator<Finding> {
  const change = typeChange(before, next);
  if (change) {
    yield { path, ...change, remedy: `give the new type another name, or ${migrate}` };
    // Everything below it is different too.
    if (change.severity === 'breaking') return;
  }
  yield* pruning(before, next, path);
  yield* listTypes(before, next, path);
  yield* tightenedLimits(before, next, path);
  yield* rules(before, next, path);
  yield* defaults(before, next, path);
  yield* fields(before, next, path);
  yield* values(before, next, path);
}

function kindOf(schema: JSONSchemaProps): string {
  if (schema['x-kubernetes-int-or-string']) return 'int-or-string';
  if (schema.type === 'object' && schema.additionalProperties) return 'map';
  return schema.type ?? 'anything';
}

const wider: Record<string, readonly string[]> = {
  integer: ['number', 'int-or-string', 'anything'],
  string: ['int-or-string', 'anything'],
};

function typeChange(before: JSONSchemaProps, next: JSONSchemaProps): Pick<Finding, 'severity' | 'reason'> | undefined {
  const [was, is] = [kindOf(before), kindOf(next)];
  if (was === is) return undefined;
  const isWider = is === 'anything' || wider[was]?.includes(is);
  if (isWider)
    return { severity: 'warning', reason: `the type is wider, ${is} instead of ${was}: readers may not expect it` };
  return { severity: 'breaking', reason: `the type was ${was} and is ${is}: stored values become invalid` };
}

function* pruning(before: JSONSchemaProps, next: JSONSchemaProps, path: string): Generator<Finding> {
  const isOpen = (schema: JSONSchemaProps) => schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (isOpen(before) && !isOpen(next)) {
    yield {
      path,
      severity: 'breaking',
      reason: 'unknown fields were kept, and will be dropped from objects at their next write',
      remedy: 'declare the fields that are in use, or keep preserving unknown ones',
    };
  }
}

function* listTypes(before: JSONSchemaProps, next: JSONSchemaProps, path: string): Generator<Finding> {
  const [was, is] = [before, next].map((schema) => schema['x-kubernetes-list-type'] ?? 'atomic');
  const keys = [before, next].map((schema) => schema['x-kubernetes-list-map-keys'] ?? []);
  if (before.type !== 'array' || (was === is && isDeepStrictEqual(keys[0], keys[1]))) return;
  const severity = is === 'atomic' ? 'warning' : 'breaking';
  const what =
    is === 'atomic'
      ? 'writers that apply their own items will overwrite each other'
      : 'lists with duplicates become invalid';
  yield { path, severity, reason: `the list was ${was} and is ${is}, or has other keys: ${what}`, remedy: migrate };
}

function* rules(before: JSONSchemaProps, next: JSONSchemaProps, path: string): Generator<Finding> {
  const had = new Set(before['x-kubernetes-validations']?.map(({ rule }) => rule));
  for (const { rule } of next['x-kubernetes-validations'] ?? []) {
    if (had.has(rule)) continue;
    const reason = `the rule "${rule}" is new: objects that break it can't be changed any more`;
    yield { path, severity: 'breaking', reason, remedy: 'check the objects first, or make it a new version' };
  }
}

function* defaults(before: JSONSchemaProps, next: JSONSchemaProps, path: string): Generator<Finding> {
  if (before.default === undefined || isDeepStrictEqual(before.default, next.default)) return;
  const said = next.default === undefined ? 'is gone' : `is ${JSON.stringify(next.default)} now`;
  yield {
    path,
    severity: 'warning',
    reason: `the default was ${JSON.stringify(before.default)} and ${said}: objects made from now on differ`,
    remedy: 'make sure that this is meant',
  };
}

function* fields(before: JSONSchemaProps, next: JSONSchemaProps, path: string): Generator<Finding> {
  const keepsAnything = next['x-kubernetes-preserve-unknown-fields'] || next.additionalProperties;
  for (const [name, field] of Object.entries(before.properties ?? {})) {
    const inNext = next.properties?.[name];
    if (inNext) yield* schemaFindings(field, inNext, inside(path, name));
    else if (!keepsAnything) yield removed(inside(path, name));
  }
  for (const name of next.required ?? []) {
    // With a default it always is there.
    if (before.required?.includes(name) || next.properties?.[name]?.default !== undefined) continue;
    yield {
      path: inside(path, name),
      severity: 'breaking',
      reason: 'the field is required now: objects without it become invalid',
      remedy: 'give it a default, or make it optional',
    };
  }
}

function inside(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}

function removed(path: string): Finding {
  return {
    path,
    severity: 'breaking',
    reason: 'the field is gone: its values are dropped from objects at their next write',
    remedy: 'keep it, described as unused, until no object has it, or make it a new version with a conversion',
  };
}

function* values(before: JSONSchemaProps, next: JSONSchemaProps, path: string): Generator<Finding> {
  const [was, is] = [before.items, next.items];
  if (was && is && !Array.isArray(was) && !Array.isArray(is)) yield* schemaFindings(was, is, `${path}[]`);
  const [had, has] = [before.additionalProperties, next.additionalProperties];
  if (typeof had === 'object' && typeof has === 'object') yield* schemaFindings(had, has, `${path}.*`);
}
