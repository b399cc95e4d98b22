/** Values that are an integer or a string, such as ports and percentages. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { escaped } from './pattern.ts';
import { inexpressible, type Place } from './place.ts';
import { limitsOf } from './structure.ts';

/** The type that takes both. Limits on numbers don't touch strings, nor the other way round, so they can stand together. */
export function intOrStringSchema(members: readonly JSONSchemaProps[], place: Place): JSONSchemaProps {
  const groups = ['integer', 'string'].map((wanted) => {
    const limits = members.filter(({ type }) => type === wanted).flatMap((member) => limitsOfMember(member, place));
    // A member without limits takes every value.
    return limits.some((limit) => Object.keys(limit).length === 0) ? [] : limits;
  });
  const single = groups.flatMap((limits) => (limits.length === 1 ? limits : []));
  const several = groups.filter((limits) => limits.length > 1).map((anyOf) => ({ anyOf }));
  const allOf = [...single.flatMap((limit) => limit.allOf ?? []), ...several];
  return {
    'x-kubernetes-int-or-string': true,
    ...Object.assign({}, ...single),
    ...(allOf.length > 0 ? { allOf } : {}),
  };
}

function limitsOfMember(member: JSONSchemaProps, place: Place): JSONSchemaProps[] {
  // An enum would refuse what it does not name, strings and integers alike.
  if (member.enum && member.type === 'string')
    return [{ pattern: `^(?:${member.enum.map(String).map(escaped).join('|')})$` }];
  if (member.enum) return member.enum.map((value) => ({ minimum: value as number, maximum: value as number }));
  const limits = limitsOf(member);
  if (limits.allOf?.some((limit) => limit.format || limit.not)) {
    const what = 'in a union with integers, a string can have lengths and patterns only';
    throw inexpressible(place, 'KUR_SCHEMA_UNION', what, 'use .regex() without look-ahead instead of a format');
  }
  return [limits];
}
