/** Objects with named fields. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { z } from 'zod';
import { celField } from '../cel.ts';
import type { ValidationRule } from '../mark.ts';
import type { Layers } from './layers.ts';
import { fieldOf, inexpressible, type Place } from './place.ts';
import { checkTransition, isTyped, untyped } from './rules.ts';
import type { Translate, Translated } from './translated.ts';

/** An object type with its fields. */
export function objectSchema({ core, marks }: Layers, place: Place, translate: Translate): JSONSchemaProps {
  const { shape, catchall } = core._zod.def as z.core.$ZodObjectDef;
  const fields = Object.entries(shape).map(([name, field]): [string, Translated] => [
    name,
    translate(field, fieldOf(place, name)),
  ]);
  const schema = fieldsSchema(fields, place);
  if (marks.some((mark) => mark.is === 'embedded')) {
    return { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
  }
  return { ...schema, ...unknownFields(catchall, place) };
}

/** An object type made of translated fields. */
export function fieldsSchema(fields: readonly [name: string, field: Translated][], place: Place): JSONSchemaProps {
  const required = fields.filter(([, { layers }]) => !layers.optional).map(([name]) => name);
  const rules = fields.flatMap(([name, field]) => keepRule(name, field, place));
  const properties = Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]));
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    ...(fields.length > 0 ? { properties } : {}),
    ...(rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}),
  };
}

/** How a rule names a field; an error where no rule can. */
export function fieldInRule(name: string, schema: JSONSchemaProps | undefined, place: Place): string {
  if (schema && !isTyped(schema)) throw untyped(fieldOf(place, name));
  const field = celField(name);
  if (field) return field;
  const what = `this needs a CEL rule, and CEL can't name the field "${name}"`;
  throw inexpressible(place, 'KUR_SCHEMA_NAME', what, 'use letters, digits and - . / _ only, and no digit first');
}

// A rule on the field itself is not asked when the field is removed, so its parent has to say that.
function keepRule(name: string, { schema, layers }: Translated, place: Place): ValidationRule[] {
  const mark = layers.marks.find((mark) => mark.is === 'immutable');
  const removable = layers.nullable || (layers.optional && schema.default === undefined);
  if (!mark || !removable) return [];
  const field = fieldInRule(name, schema, place);
  const rule = mark.settable
    ? `!has(oldSelf.${field}) || has(self.${field})`
    : `has(oldSelf.${field}) == has(self.${field})`;
  const message = mark.settable ? `${name} can't be removed once it is set` : `${name} can't be set or removed later`;
  const said: ValidationRule = { rule, message, fieldPath: `.${field}`, reason: 'FieldValueForbidden' };
  checkTransition(said, place);
  return [said];
}

function unknownFields(catchall: z.core.$ZodType | undefined, place: Place): JSONSchemaProps {
  const type = catchall?._zod.def.type;
  // A strict object is checked by the server where the request asks for it, as kubectl does; otherwise unknown fields go.
  if (!type || type === 'never') return {};
  if (type === 'unknown' || type === 'any') return { 'x-kubernetes-preserve-unknown-fields': true };
  const remedy = 'put the free fields into a z.record() of their own, or use z.looseObject()';
  throw inexpressible(
    place,
    'KUR_SCHEMA_CATCHALL',
    'an object has named fields or free ones of one type, not both',
    remedy,
  );
}
