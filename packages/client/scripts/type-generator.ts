/** Turns the OpenAPI documents of an API server into TypeScript: pure, one file for each group and version. */
import { pluralOf } from '../src/notation.ts';

/** A schema of OpenAPI 3, as much of it as Kubernetes uses. */
export interface Schema {
  description?: string;
  type?: string;
  format?: string;
  enum?: string[];
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
}

/** A kind that has a URL of its own. */
export interface Resource {
  apiVersion: string;
  kind: string;
  plural: string;
  namespaced: boolean;
}

const REF = '#/components/schemas/';
const WIDTH = 120;
const LONGEST_COMMENT = 200;

/** Types that are ours, or that JSON writes more simply than Go. */
const mapped: Record<string, { type: string; from?: string }> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'number | string' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': { type: 'string' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': { type: 'string' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'Record<string, unknown>' },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'Record<string, unknown>' },
  // As a caller writes it: templates need no name.
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'ManifestMeta', from: 'object' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition': { type: 'Condition', from: 'object' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector': { type: 'LabelSelector', from: 'object' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference': { type: 'OwnerReference', from: 'object' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Status': { type: 'Status', from: 'object' },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': { type: 'unknown' },
};

/** Go types that marshal themselves: their schemas say nothing. */
const unions: Record<string, string> = {
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray':
    'JSONSchemaProps | JSONSchemaProps[]',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': 'JSONSchemaProps | boolean',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray': 'JSONSchemaProps | string[]',
};

/**
 * The files, by their path below the folder of generated files.
 *
 * @param schemas all schemas of all documents, by their full names.
 */
export function generateTypes(
  schemas: Readonly<Record<string, Schema>>,
  resources: readonly Resource[],
): Map<string, string> {
  const kinds = Object.keys(schemas).filter((name) => isKind(name, schemas[name] ?? {}));
  const files = new Map<string, string[]>();
  for (const name of reachable(kinds, schemas)) {
    const file = fileOf(name);
    files.set(file, [...(files.get(file) ?? []), name]);
  }
  return new Map(
    [...files].sort(byName).map(([file, names]) => [file, fileText(file, names.sort(), schemas, resources)]),
  );
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

const shortName = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/** `io.k8s.api.apps.v1.Deployment` is in `apps/v1.ts`. */
function fileOf(name: string): string {
  const [version, group] = name.split('.').reverse().slice(1);
  return `${group}/${version}.ts`;
}

/** Kinds have metadata; lists of them are the client's own affair. */
function isKind(name: string, schema: Schema): boolean {
  const { properties = {} } = schema;
  const isObject = refsOf(properties.metadata ?? {}).some((ref) => ref.endsWith('.ObjectMeta'));
  return isObject && 'apiVersion' in properties && 'kind' in properties && !mapped[name];
}

function reachable(kinds: readonly string[], schemas: Readonly<Record<string, Schema>>): Set<string> {
  const found = new Set<string>();
  const queue = [...kinds];
  for (let name = queue.pop(); name; name = queue.pop()) {
    const schema = schemas[name];
    if (!schema || found.has(name) || mapped[name]) continue;
    found.add(name);
    queue.push(...refsOf(schema));
  }
  return found;
}

function refsOf(schema: Schema): string[] {
  const { $ref, allOf = [], items, additionalProperties, properties = {} } = schema;
  const parts = [...allOf, ...Object.values(properties), ...(items ? [items] : [])];
  if (typeof additionalProperties === 'object') parts.push(additionalProperties);
  return [...($ref ? [$ref.slice(REF.length)] : []), ...parts.flatMap(refsOf)];
}

function fileText(
  file: string,
  names: readonly string[],
  schemas: Readonly<Record<string, Schema>>,
  resources: readonly Resource[],
): string {
  const imports = new Map<string, Set<string>>();
  const need = (from: string, type: string) => imports.set(from, (imports.get(from) ?? new Set()).add(type));
  const reference = (name: string): string => {
    const known = mapped[name];
    if (known?.from) need(`../../${known.from}.ts`, known.type);
    if (known) return known.type;
    if (fileOf(name) !== file) need(`../${fileOf(name)}`, shortName(name));
    if (!isKind(name, schemas[name] ?? {})) return shortName(name);
    // An object inside of another is a template: the server completes it.
    need('../../object.ts', 'Manifest');
    return `Manifest<${shortName(name)}>`;
  };
  const bodies = names.map((name) => {
    const schema = schemas[name] ?? {};
    const type = shortName(name);
    const comment = commentOf(schema.description, '');
    const union = unions[name];
    if (union) return `${comment}export type ${type} = ${union};\n`;
    if (!isKind(name, schema)) return `${comment}${declaration(type, schema, reference)}`;
    need('../../object.ts', 'KubernetesObject');
    const { apiVersion, kind, metadata, ...properties } = schema.properties ?? {};
    const text = declaration(`${type} extends KubernetesObject`, { ...schema, properties }, reference);
    return `${comment}${text}${constantOf(type, schema, resources)}`;
  });
  const header = '// Generated from the OpenAPI document of Kubernetes by scripts/generate-types.ts: do not edit.\n';
  const lint = '// biome-ignore-all lint/style/noExcessiveLinesPerFile: one file is one API group and version.\n';
  const hasConstants = bodies.some((body) => body.includes(' = resourceType<'));
  const lines = [...imports].sort(importOrder).map(([from, types]) => importLine(from, [...types]));
  const ours = [...imports.keys()].filter((from) => from.startsWith('../../')).length;
  if (hasConstants) lines.splice(ours, 0, "import { resourceType } from '../../resource-type.ts';\n");
  const long =
    bodies
      .join('\n')
      .split('\n')
      .filter((line) => line !== '').length > 250;
  return `${header}${long ? lint : ''}${lines.join('')}\n${bodies.join('\n')}`;
}

function importOrder([a]: [string, unknown], [b]: [string, unknown]): number {
  const depth = (path: string) => (path.startsWith('../../') ? 0 : 1);
  return depth(a) - depth(b) || (a < b ? -1 : 1);
}

function importLine(from: string, types: string[]): string {
  const line = `import type { ${types.sort().join(', ')} } from '${from}';\n`;
  return line.length <= WIDTH + 1
    ? line
    : `import type {\n${types.map((type) => `  ${type},\n`).join('')}} from '${from}';\n`;
}

function declaration(head: string, schema: Schema, reference: (name: string) => string): string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return head.includes(' ') ? `export interface ${head} {}\n` : emptyType(head);
  const required = new Set(schema.required ?? []);
  const isCondition = /Condition$/.test(head);
  const fields = properties.map(([name, property]) => {
    const type = isCondition && name === 'status' ? "'True' | 'False' | 'Unknown'" : typeOf(property, reference);
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
    return `${commentOf(property.description, '  ')}${field(`${key}${required.has(name) ? '' : '?'}`, type)}`;
  });
  return `export interface ${head} {\n${fields.join('')}}\n`;
}

// Present or not: that is all it says.
function emptyType(head: string): string {
  return `export type ${head} = Record<string, never>;\n`;
}

/** As the formatter would write it. */
function field(key: string, type: string): string {
  const line = `  ${key}: ${type};\n`;
  if (line.length <= WIDTH + 1 || !type.includes(' | ')) return line;
  const record = /^Record<string, (.*)>$/.exec(type)?.[1];
  if (record) {
    const values = record.split(' | ').map((member) => `    | ${member}\n`);
    return `  ${key}: Record<\n    string,\n${values.join('')}  >;\n`;
  }
  const list = /^\((.*)\)\[\]$/.exec(type)?.[1];
  const members = (list ?? type).split(' | ').map((member) => `    | ${member}\n`);
  return list ? `  ${key}: (\n${members.join('')}  )[];\n` : `  ${key}:\n${members.join('').slice(0, -1)};\n`;
}

function typeOf(schema: Schema, reference: (name: string) => string): string {
  const [only] = schema.allOf ?? [];
  if (schema.$ref) return reference(schema.$ref.slice(REF.length));
  if (only) return typeOf(only, reference);
  if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ');
  if (schema.type === 'array') return listOf(typeOf(schema.items ?? {}, reference));
  if (schema.type === 'object') return recordOf(schema, reference);
  return { string: 'string', boolean: 'boolean', integer: 'number', number: 'number' }[schema.type ?? ''] ?? 'unknown';
}

const listOf = (type: string) => (type.includes(' | ') ? `(${type})[]` : `${type}[]`);

function recordOf({ additionalProperties }: Schema, reference: (name: string) => string): string {
  const isTyped = typeof additionalProperties === 'object';
  return `Record<string, ${isTyped ? typeOf(additionalProperties, reference) : 'unknown'}>`;
}

function constantOf(kind: string, schema: Schema, resources: readonly Resource[]): string {
  const [gvk] = schema['x-kubernetes-group-version-kind'] ?? [];
  const apiVersion = gvk?.group ? `${gvk.group}/${gvk.version}` : (gvk?.version ?? '');
  const resource = resources.find((candidate) => candidate.apiVersion === apiVersion && candidate.kind === kind);
  // Some kinds are only ever written to a subresource of another: an Eviction, a Scale.
  if (!resource) return '';
  const { plural, namespaced } = resource;
  const options = [
    ...(plural === pluralOf(kind) ? [] : [`plural: '${plural}'`]),
    ...(namespaced ? [] : ['namespaced: false']),
  ];
  const start = `export const ${kind} = resourceType<${kind}>(`;
  const args = [`'${apiVersion}'`, `'${kind}'`];
  if (options.length === 0) {
    const line = `${start}${args.join(', ')});`;
    return line.length <= WIDTH ? `${line}\n` : `${start}\n  ${args.join(',\n  ')},\n);\n`;
  }
  const line = `${start}${args.join(', ')}, { ${options.join(', ')} });`;
  if (line.length <= WIDTH) return `${line}\n`;
  const hugging = `${start}${args.join(', ')}, {`;
  if (hugging.length <= WIDTH) return `${hugging}\n${options.map((option) => `  ${option},\n`).join('')}});\n`;
  return `${start}\n  ${args.join(',\n  ')},\n  { ${options.join(', ')} },\n);\n`;
}

/** The first sentence, or two where the first is short: the whole story is in the Kubernetes documentation. */
function commentOf(description: string | undefined, indent: string): string {
  const [paragraph = ''] = (description ?? '').split(/\n\n|Possible enum values|More info:/);
  const text = paragraph.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  if (text === '') return '';
  const sentences = text.match(/.+?[.!?](?=\s|$)|.+$/g) ?? [text];
  const [first = '', second = ''] = sentences;
  const chosen = first.length < 60 && first.length + second.length < LONGEST_COMMENT ? `${first}${second}` : first;
  return `${indent}/** ${shorten(chosen.trim())} */\n`;
}

function shorten(text: string): string {
  if (text.length <= LONGEST_COMMENT) return text;
  return `${text.slice(0, text.lastIndexOf(' ', LONGEST_COMMENT))} …`;
}
