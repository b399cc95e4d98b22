/** The simple JSON paths of columns, scaling and selectable fields, followed through a schema. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { SchemaError } from './error.ts';

const time: JSONSchemaProps = { type: 'string', format: 'date-time' };
const texts: JSONSchemaProps = { type: 'object', additionalProperties: { type: 'string' } };

/** What every object has, and no CRD may declare. */
const common: JSONSchemaProps = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        name: { type: 'string' },
        namespace: { type: 'string' },
        uid: { type: 'string' },
        generation: { type: 'integer' },
        creationTimestamp: time,
        deletionTimestamp: time,
        labels: texts,
        annotations: texts,
      },
    },
  },
};

const segment = /\.([A-Za-z_][\w-]*)|\['([^']+)'\]|\[(\d+|\*|\?\([^\]]*\))\]/y;

/** A step of a path: to a field, or into a list. */
export type Step = { readonly field: string } | { readonly index: string };

/** Takes a path apart; undefined where it is none. */
export function stepsOf(path: string): Step[] | undefined {
  const steps: Step[] = [];
  segment.lastIndex = 0;
  let end = 0;
  while (end < path.length) {
    const found = segment.exec(path);
    if (!found) return undefined;
    const [, plain, quoted, index] = found;
    steps.push(index === undefined ? { field: plain ?? quoted ?? '' } : { index });
    end = segment.lastIndex;
  }
  return steps.length > 0 ? steps : undefined;
}

/** The schema of the field that a path leads to; an error where it leads nowhere. */
export function fieldAt(schema: JSONSchemaProps, path: string, declaredAt: string): JSONSchemaProps {
  const steps = stepsOf(path);
  if (!steps) throw noPath(path, declaredAt, 'is no path', 'write it as .spec.replicas');
  let here: JSONSchemaProps = { ...schema, properties: { ...common.properties, ...schema.properties } };
  let walked = '';
  for (const step of steps) {
    const next = stepInto(here, step);
    if (!next)
      throw noPath(path, declaredAt, `leads nowhere: ${whatIsThere(walked, here)}`, 'name a field that is declared');
    if (isOpen(next)) return next;
    here = next;
    walked += 'field' in step ? `.${step.field}` : `[${step.index}]`;
  }
  return here;
}

function stepInto(schema: JSONSchemaProps, step: Step): JSONSchemaProps | undefined {
  if ('index' in step) return schema.items && !Array.isArray(schema.items) ? schema.items : undefined;
  const { properties, additionalProperties: free } = schema;
  const open = schema['x-kubernetes-preserve-unknown-fields']
    ? { 'x-kubernetes-preserve-unknown-fields': true }
    : undefined;
  return properties?.[step.field] ?? (typeof free === 'object' ? free : undefined) ?? open;
}

function isOpen(schema: JSONSchemaProps): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true && !schema.properties;
}

function whatIsThere(walked: string, schema: JSONSchemaProps): string {
  const names = Object.keys(schema.properties ?? {});
  const where = walked || 'the object';
  if (names.length > 0) return `${where} has ${names.join(', ')}`;
  return schema.items ? `${where} is a list` : `${where} has no fields`;
}

function noPath(path: string, declaredAt: string, what: string, remedy: string): SchemaError {
  return new SchemaError('KUR_SCHEMA_PATH', `${path} ${what}; ${remedy}`, { path: declaredAt, remedy });
}
