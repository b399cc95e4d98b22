/**
 * Unions of objects. A CRD has no such type: its object has the fields of all members, and rules say which belong
 * together.
 */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { z } from 'zod';
import { celList, celLiteral } from '../cel.ts';
import type { ValidationRule } from '../mark.ts';
import { fieldInRule } from './object.ts';
import { fieldOf, inexpressible, type Place } from './place.ts';
import { isTyped } from './rules.ts';
import { commonFields, limitsOf, sameSchema } from './structure.ts';
import type { Translated } from './translated.ts';

type Fields = Readonly<Record<string, JSONSchemaProps>>;

interface Member {
  readonly schema: JSONSchemaProps;
  readonly required: ReadonlySet<string>;
  readonly fields: ReadonlySet<string>;
  /** Refuses the fields of other members. */
  readonly strict: boolean;
  /** What the discriminator is in this member; empty without one. */
  readonly tags: readonly unknown[];
}

/** The one object type that stands for all members. */
export function objectUnionSchema(members: readonly Translated[], discriminator: string | undefined, place: Place) {
  const all = members.map((member) => memberOf(member, discriminator, place));
  for (const { schema } of all) checkMember(schema, discriminator, place);
  const fields = commonFields(
    all.map(({ schema }) => withoutTag(schema, discriminator)),
    place,
  );
  checkDefaults(all, fields, place);
  const required = [...(all[0]?.required ?? [])].filter((name) => all.every((member) => member.required.has(name)));
  const tag = discriminator ? tagField(all, discriminator) : {};
  const loose = all.some(({ schema }) => schema['x-kubernetes-preserve-unknown-fields']);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: { ...tag, ...fields },
    ...(loose ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(discriminator ? taggedLimits(all, discriminator, fields, place) : untaggedLimits(all, fields, place)),
  } satisfies JSONSchemaProps;
}

function memberOf({ schema, layers }: Translated, discriminator: string | undefined, place: Place): Member {
  const def = layers.core._zod.def as z.core.$ZodObjectDef;
  const tag = discriminator === undefined ? undefined : schema.properties?.[discriminator];
  if (discriminator !== undefined && (!tag?.enum || !schema.required?.includes(discriminator))) {
    const what = `"${discriminator}", which tells the members apart, must be a constant in each of them`;
    throw inexpressible(place, 'KUR_SCHEMA_UNION', what, 'use z.literal() or z.enum(), neither optional nor nullable');
  }
  return {
    schema,
    required: new Set(schema.required),
    fields: new Set(Object.keys(schema.properties ?? {})),
    strict: def.type === 'object' && def.catchall?._zod.def.type === 'never',
    tags: tag?.enum ?? [],
  };
}

function checkMember(schema: JSONSchemaProps, discriminator: string | undefined, place: Place): void {
  const hasRules = !discriminator && schema['x-kubernetes-validations'];
  if (!hasRules && !schema.additionalProperties && !schema['x-kubernetes-embedded-resource']) return;
  throw inexpressible(
    place,
    'KUR_SCHEMA_UNION',
    `a member of this union ${hasRules ? 'has a rule of its own' : 'is not an object with named fields'}`,
    'use z.discriminatedUnion() of z.object()s',
  );
}

// The server would give it to objects that are another member.
function checkDefaults(members: readonly Member[], fields: Record<string, JSONSchemaProps>, place: Place): void {
  for (const [name, field] of Object.entries(fields)) {
    if (field.default === undefined || members.every((member) => member.fields.has(name))) continue;
    const what = 'the server gives a default to every object, also to those that are another member of the union';
    const remedy = 'make the field optional and use the default in the controller, or wrap it in an object';
    throw inexpressible(fieldOf(place, name), 'KUR_SCHEMA_UNION', what, remedy);
  }
}

function withoutTag(schema: JSONSchemaProps, discriminator: string | undefined): JSONSchemaProps {
  const rest = Object.entries(schema.properties ?? {}).filter(([name]) => name !== discriminator);
  return { ...schema, properties: Object.fromEntries(rest) };
}

function tagField(members: readonly Member[], discriminator: string): Record<string, JSONSchemaProps> {
  const [first] = members;
  const { enum: _, ...tag } = first?.schema.properties?.[discriminator] ?? {};
  return { [discriminator]: { ...tag, enum: members.flatMap(({ tags }) => tags) } };
}

function taggedLimits(
  members: readonly Member[],
  discriminator: string,
  fields: Fields,
  place: Place,
): JSONSchemaProps {
  const tag = fieldInRule(discriminator, undefined, place);
  const visible = Object.keys(fields).filter((name) => isVisible(fields[name]));
  const rules = visible.flatMap((name) => fieldRules(name, members, discriminator, place));
  const own = members.flatMap(({ schema, tags }) =>
    (schema['x-kubernetes-validations'] ?? []).map((rule) => ({
      ...rule,
      rule: `${isNot(tag, tags)} || (${rule.rule})`,
    })),
  );
  const hidden = Object.keys(fields).filter((name) => !visible.includes(name));
  const branches = branchesOf(members, hidden, discriminator);
  const anyOf = branches.map(({ properties, ...branch }, index) => ({
    ...branch,
    properties: { ...properties, [discriminator]: { enum: [...(members[index]?.tags ?? [])] } },
  }));
  return {
    ...(branches.every(isEmpty) ? {} : { anyOf }),
    ...(rules.length + own.length > 0 ? { 'x-kubernetes-validations': [...rules, ...own] } : {}),
  };
}

// To CEL, null is as good as absent.
function isVisible(field: JSONSchemaProps | undefined): boolean {
  return field !== undefined && isTyped(field) && !field.nullable;
}

function isEmpty(schema: object): boolean {
  return Object.keys(schema).length === 0;
}

function fieldRules(name: string, members: readonly Member[], discriminator: string, place: Place): ValidationRule[] {
  const tag = fieldInRule(discriminator, undefined, place);
  const needing = members.filter(({ required }) => required.has(name));
  const refusing = members.filter(({ strict, fields }) => strict && !fields.has(name));
  const field = () => fieldInRule(name, undefined, place);
  const when = (some: readonly Member[]) => `when ${discriminator} is ${tagsOf(some).join(' or ')}`;
  const rules: ValidationRule[] = [];
  if (needing.length > 0 && needing.length < members.length) {
    rules.push({
      rule: `${isNot(tag, tagsOf(needing))} || has(self.${field()})`,
      message: `${name} is required ${when(needing)}`,
      reason: 'FieldValueRequired',
      fieldPath: `.${field()}`,
    });
  }
  if (refusing.length > 0) {
    rules.push({
      rule: `${isNot(tag, tagsOf(refusing))} || !has(self.${field()})`,
      message: `${name} is not allowed ${when(refusing)}`,
      reason: 'FieldValueForbidden',
      fieldPath: `.${field()}`,
    });
  }
  return rules;
}

function tagsOf(members: readonly Member[]): unknown[] {
  return members.flatMap(({ tags }) => tags);
}

function isNot(tag: string, values: readonly unknown[]): string {
  if (values.length === 1) return `self.${tag} != ${celLiteral(values[0])}`;
  return `!(self.${tag} in ${celList(values)})`;
}

/**
 * What each member demands that no rule says: of fields that are limited otherwise in other members, and that these ones
 * are there, or are not.
 */
function branchesOf(members: readonly Member[], names: readonly string[], discriminator?: string): JSONSchemaProps[] {
  return members.map((member) => {
    const limits = Object.entries(member.schema.properties ?? {})
      .filter(([name, field]) => name !== discriminator && members.some((other) => differsIn(other, name, field)))
      .map(([name, field]): [string, JSONSchemaProps] => [name, limitsOf(field)])
      .filter(([, limit]) => !isEmpty(limit));
    const required = names.filter((name) => member.required.has(name));
    const refused = names.filter((name) => member.strict && !member.fields.has(name));
    return {
      ...(required.length > 0 ? { required } : {}),
      ...(limits.length > 0 ? { properties: Object.fromEntries(limits) } : {}),
      ...(refused.length > 0 ? { not: { anyOf: refused.map((name) => ({ required: [name] })) } } : {}),
    };
  });
}

function differsIn(member: Member, name: string, field: JSONSchemaProps): boolean {
  const theirs = member.schema.properties?.[name];
  return theirs !== undefined && !sameSchema(theirs, field);
}

function untaggedLimits(members: readonly Member[], fields: Fields, place: Place): JSONSchemaProps {
  const names = Object.keys(fields);
  const simple = branchesOf(members, []).every(isEmpty) && Object.values(fields).every(isVisible);
  if (simple) return presenceRule(members, names, place);
  const branches = branchesOf(members, names);
  // A member that demands nothing takes every object.
  return branches.some(isEmpty) ? {} : { anyOf: branches };
}

// Where the members differ in which fields they have, a rule can say it in words; an anyOf can't.
function presenceRule(members: readonly Member[], names: readonly string[], place: Place): JSONSchemaProps {
  const refused = members.map(({ strict, fields }) => (strict ? names.filter((name) => !fields.has(name)) : []));
  const cases = members.map(({ required }, index) => [
    ...[...required].map((name) => `has(self.${fieldInRule(name, undefined, place)})`),
    ...(refused[index] ?? []).map((name) => `!has(self.${fieldInRule(name, undefined, place)})`),
  ]);
  if (cases.some(isEmpty)) return {};
  const rule = cases.map((demands) => (demands.length > 1 ? `(${demands.join(' && ')})` : demands.join())).join(' || ');
  const choices = members.map(({ required }) => [...required].join(' and ') || 'nothing');
  const exclusive = refused.some((each) => each.length > 0);
  const message = exclusive ? `give exactly one of: ${choices.join('; ')}` : `give ${choices.join(', or ')}`;
  return { 'x-kubernetes-validations': [{ rule, message }] };
}
