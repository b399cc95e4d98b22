/** Limits on values that are tighter than they were. */
import { isDeepStrictEqual } from 'node:util';
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { Finding } from './finding.ts';

const remedy = 'keep the old limit, or rewrite the objects that break the new one first';

const lower = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;
const upper = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
// Whether one is tighter than another can't be told from looking at them.
const incomparable = ['pattern', 'format', 'multipleOf', 'anyOf', 'oneOf', 'allOf', 'not'] as const;

/** Limits of `next` that values within those of `before` may break. */
export function* tightenedLimits(before: JSONSchemaProps, next: JSONSchemaProps, path: string): Generator<Finding> {
  for (const key of lower) yield* bound(key, before[key], next[key], 1, path);
  for (const key of upper) yield* bound(key, before[key], next[key], -1, path);
  for (const key of incomparable) yield* other(key, before[key], next[key], path);
  for (const key of ['exclusiveMinimum', 'exclusiveMaximum'] as const) {
    if (next[key] && !before[key]) yield breaking(path, `${key} is new`);
  }
  if (before.nullable && !next.nullable) yield breaking(path, 'null is not allowed any more');
  yield* choices(before.enum, next.enum, path);
}

function* bound(
  key: string,
  was: number | undefined,
  is: number | undefined,
  direction: 1 | -1,
  path: string,
): Generator<Finding> {
  if (is === undefined || (was !== undefined && (is - was) * direction <= 0)) return;
  // Every text and list fulfils it.
  if (was === undefined && direction === 1 && is === 0 && key !== 'minimum') return;
  yield breaking(path, was === undefined ? `${key} ${is} is new` : `${key} was ${was} and is ${is}`);
}

function* other(key: string, was: unknown, is: unknown, path: string): Generator<Finding> {
  if (is === undefined || isDeepStrictEqual(was, is)) return;
  if (was === undefined) yield breaking(path, `${key} ${JSON.stringify(is)} is new`);
  else {
    const reason = `${key} is another one: values that the old one took may be refused`;
    yield { path, severity: 'warning', reason, remedy: 'make sure that it takes everything that the old one took' };
  }
}

function* choices(was: readonly unknown[] | undefined, is: readonly unknown[] | undefined, path: string) {
  if (!is) return;
  if (!was) {
    yield breaking(path, `only ${is.join(', ')} are allowed now`);
    return;
  }
  const gone = was.filter((value) => !is.some((other) => isDeepStrictEqual(value, other)));
  if (gone.length > 0)
    yield breaking(path, `${gone.join(', ')} ${gone.length > 1 ? 'are' : 'is'} not allowed any more`);
}

function breaking(path: string, what: string): Finding {
  return { path, severity: 'breaking', reason: `${what}: objects that break this can't be changed any more`, remedy };
}
