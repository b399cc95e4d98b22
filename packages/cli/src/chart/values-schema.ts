/** What `helm install` checks values against: a mistyped name is refused, not passed over. Pure. */

/** What can't be seen from a default. */
const refined: Readonly<Record<string, object>> = {
  replicas: { type: 'integer', minimum: 0 },
  pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
  watchNamespaces: { type: 'array', items: { type: 'string' } },
  digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
  resources: { type: 'object' },
  labels: { type: 'object' },
  mode: { enum: ['', 'Off', 'Observe', 'On'] },
  nodeSelector: { type: 'object' },
};

/** @param values The chart's defaults. */
export function valuesSchema(name: string, values: object): object {
  const { properties, ...rest } = schemaOf(values) as { properties: object };
  const global = { type: 'object' };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: name,
    ...rest,
    properties: { global, ...properties },
  };
}

function schemaOf(value: unknown, name = ''): object {
  if (refined[name]) return refined[name];
  if (Array.isArray(value)) return { type: 'array' };
  if (typeof value !== 'object' || value === null) return { type: typeof value };
  const fields = Object.entries(value);
  if (fields.length === 0) return { type: 'object' };
  const properties = Object.fromEntries(fields.map(([key, field]) => [key, schemaOf(field, key)]));
  return { type: 'object', additionalProperties: false, properties };
}
