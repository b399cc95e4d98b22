/** The schema of a whole object: spec and status, with what every status has. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { ResourceDefinition, VersionDefinition } from '../definition.ts';
import { SchemaError } from '../error.ts';
import { placeAt } from './place.ts';
import { checkRuleBudget } from './rule-budget.ts';
import { translate } from './translate.ts';

const generation: JSONSchemaProps = { type: 'integer', format: 'int64', minimum: 0 };

const commonStatus: Record<string, JSONSchemaProps> = {
  conditions: {
    description: 'What is true of the object, each type once.',
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: {
      type: 'object',
      required: ['type', 'status'],
      properties: {
        type: { description: 'For example Ready.', type: 'string', minLength: 1, maxLength: 316 },
        status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
        reason: { description: 'One word for programs.', type: 'string', maxLength: 1024 },
        message: { description: 'A sentence for people.', type: 'string', maxLength: 32768 },
        lastTransitionTime: { description: 'When the status last changed.', type: 'string', format: 'date-time' },
        observedGeneration: { description: 'The generation that this speaks about.', ...generation },
      },
    },
  },
  observedGeneration: { description: 'The generation that the status speaks about.', ...generation },
};

/** The schema of the objects of one version. */
export function rootSchema(definition: ResourceDefinition, version: VersionDefinition): JSONSchemaProps {
  const spec = specSchema(version);
  const name = definition.name ? translate(definition.name, placeAt('metadata.name')).schema : undefined;
  const schema: JSONSchemaProps = {
    type: 'object',
    ...(definition.description ? { description: definition.description } : {}),
    required: ['spec'],
    properties: {
      ...(name ? { metadata: { type: 'object', properties: { name } } } : {}),
      spec,
      status: statusSchema(version),
    },
    ...(version.rules.length > 0 ? { 'x-kubernetes-validations': [...version.rules] } : {}),
  };
  checkRuleBudget(schema);
  return schema;
}

function specSchema({ spec }: VersionDefinition): JSONSchemaProps {
  const { schema } = translate(spec, placeAt('spec'));
  checkObject(schema, 'spec');
  // Where nothing in it has to be given, it need not be given itself, and defaults in it still count.
  const nothingNeeded = schema.default === undefined && spec.safeParse({}).success;
  return nothingNeeded ? { ...schema, default: {} } : schema;
}

function statusSchema({ status }: VersionDefinition): JSONSchemaProps {
  if (!status) return { type: 'object', properties: commonStatus };
  // A status grows as the work goes on: what is not known yet can't be required.
  const { required: _, ...schema } = translate(status, placeAt('status')).schema;
  checkObject(schema, 'status');
  return { ...schema, properties: { ...schema.properties, ...missing(schema) } };
}

function missing({ properties = {} }: JSONSchemaProps): Record<string, JSONSchemaProps> {
  return Object.fromEntries(Object.entries(commonStatus).filter(([name]) => !(name in properties)));
}

function checkObject({ type, additionalProperties, nullable }: JSONSchemaProps, path: string): void {
  if (type === 'object' && !additionalProperties && !nullable) return;
  const remedy = 'use z.object()';
  throw new SchemaError('KUR_SCHEMA_TYPE', `must be an object with named fields; ${remedy}`, { path, remedy });
}
