/** From the status that is to the status that should be, as the fewest operations of a JSON patch (RFC 6902). */
import type { Condition } from '@kurator/client';
import { type ConditionClaim, setCondition } from './condition.ts';
import { isJsonObject, type JsonObject, sameJson } from './json.ts';

export type Operation =
  | { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * Empty if there is nothing to change. Fields that are not wanted are removed; conditions of types that are not wanted
 * are somebody else's, and kept: for that the patch holds only as long as nobody else has changed the list.
 */
export function statusOperations(
  current: JsonObject | undefined,
  wanted: JsonObject,
  generation: number | undefined,
  now: number,
): Operation[] {
  const { conditions, ...fields } = withoutNulls(wanted);
  const known = Array.isArray(current?.conditions) ? current.conditions : [];
  const status =
    conditions === undefined ? fields : { ...fields, conditions: claimAll(known, conditions, generation, now) };
  if (current) return differences(current, status);
  if (Object.keys(status).length === 0) return [];
  return [
    { op: 'test', path: '/status', value: null },
    { op: 'add', path: '/status', value: status },
  ];
}

function differences(current: JsonObject, wanted: JsonObject): Operation[] {
  const operations: Operation[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const before = current[name];
    if (sameJson(before, value)) continue;
    if (name === 'conditions') operations.push({ op: 'test', path: pathOf(name), value: before ?? null });
    operations.push({ op: 'add', path: pathOf(name), value });
  }
  for (const name of Object.keys(current)) {
    // Without conditions of ours, all there are belong to others.
    if (name !== 'conditions' && wanted[name] === undefined) operations.push({ op: 'remove', path: pathOf(name) });
  }
  return operations;
}

/** Conditions get their times here; a list that is something else than conditions is taken as it is. */
function claimAll(known: readonly Condition[], claims: unknown, generation: number | undefined, now: number): unknown {
  if (!isClaims(claims)) return claims;
  return claims.reduce((list, claim) => setCondition(list, claim, generation, now), known);
}

function isClaims(value: unknown): value is readonly ConditionClaim[] {
  return Array.isArray(value) && value.every((one) => isJsonObject(one) && 'type' in one && 'status' in one);
}

/** A null means what undefined means: not there. */
function withoutNulls(value: JsonObject): JsonObject {
  const given = Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
  return Object.fromEntries(given.map(([name, field]) => [name, isJsonObject(field) ? withoutNulls(field) : field]));
}

function pathOf(name: string): string {
  return `/status/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
