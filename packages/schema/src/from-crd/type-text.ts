/** OpenAPI schemas in the words of TypeScript, formatted as Biome and Prettier would. */
import { isDeepStrictEqual } from 'node:util';
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { docComment } from './doc-comment.ts';

/** The interfaces that are written, and what they need from elsewhere. */
export interface TypeFile {
  /** By name, in the order in which they are to stand. */
  readonly interfaces: Map<string, { readonly schema: JSONSchemaProps; text: string }>;
  /** Names that are imported. */
  readonly imports: Set<string>;
}

const WIDTH = 120;

/** Writes an interface for an object with named fields, and for those inside it; gives its name. */
export function writeInterface(file: TypeFile, wanted: string, schema: JSONSchemaProps, heritage = ''): string {
  // The same fields in two places are one interface.
  const same = [...file.interfaces].find(([, written]) => isDeepStrictEqual(written.schema, schema));
  if (same && !heritage) return same[0];
  const name = freeName(file, wanted);
  const entry = { schema, text: '' };
  file.interfaces.set(name, entry);
  const fields = Object.entries(schema.properties ?? {}).flatMap(([field, value]) => {
    const optional = schema.required?.includes(field) ? '' : '?';
    return [
      ...docComment(fieldDoc(value), '  '),
      ...property(`${key(field)}${optional}`, typeOf(file, `${name}${pascal(field)}`, value)),
    ];
  });
  const open = schema['x-kubernetes-preserve-unknown-fields'] ? ['  [field: string]: unknown;'] : [];
  const lines = [...fields, ...open];
  const head = `export interface ${name}${heritage}`;
  const body = lines.length > 0 ? [`${head} {`, ...lines, '}'] : [`${head} {}`];
  entry.text = [...docComment(schema.description), ...body].join('\n');
  return name;
}

function fieldDoc({ description, default: value }: JSONSchemaProps): string | undefined {
  const said = value === undefined ? undefined : `${JSON.stringify(value)} unless given.`;
  return [description, said].filter(Boolean).join(' ') || undefined;
}

/** A union of types, or the one type, or a list of either. */
interface TypeText {
  readonly members: readonly string[];
  readonly isList?: boolean;
}

function typeOf(file: TypeFile, name: string, schema: JSONSchemaProps): TypeText {
  const type = plainType(file, name, schema);
  if (!schema.nullable || type.members.includes('unknown')) return type;
  return { members: [...(type.isList ? [inline(type)] : type.members), 'null'] };
}

function plainType(file: TypeFile, name: string, schema: JSONSchemaProps): TypeText {
  if (schema['x-kubernetes-int-or-string']) return { members: ['number', 'string'] };
  if (schema.enum) {
    const values = new Set(schema.enum.filter((value) => value !== null).map(literal));
    return { members: values.size > 0 ? [...values] : ['null'] };
  }
  if (schema['x-kubernetes-embedded-resource']) return { members: [imported(file, 'UntypedObject')] };
  const { type = '' } = schema;
  // What every object has (`constructor`, `toString`) is no type.
  const translate = Object.hasOwn(types, type) ? types[type] : undefined;
  return (translate ?? one('unknown'))(file, name, schema);
}

type Translation = (file: TypeFile, name: string, schema: JSONSchemaProps) => TypeText;

function one(name: string): Translation {
  return () => ({ members: [name] });
}

const types: Record<string, Translation> = {
  string: one('string'),
  integer: one('number'),
  number: one('number'),
  boolean: one('boolean'),
  array: listType,
  object: objectType,
};

function listType(file: TypeFile, name: string, { items }: JSONSchemaProps): TypeText {
  if (!items || Array.isArray(items)) return { members: ['unknown'], isList: true };
  if (isCondition(items)) return { members: [imported(file, 'Condition')], isList: true };
  const item = typeOf(file, singular(name), items);
  return { members: item.isList ? [inline(item)] : item.members, isList: true };
}

function objectType(file: TypeFile, name: string, schema: JSONSchemaProps): TypeText {
  if (typeof schema.additionalProperties === 'object') {
    const value = typeOf(file, singular(name), schema.additionalProperties);
    return { members: [`Record<string, ${inline(value)}>`] };
  }
  const fields = Object.keys(schema.properties ?? {});
  return { members: [fields.length > 0 ? writeInterface(file, name, schema) : 'Record<string, unknown>'] };
}

function inline({ members, isList }: TypeText): string {
  const union = members.join(' | ');
  if (!isList) return union;
  return members.length > 1 ? `(${union})[]` : `${union}[]`;
}

const conditionFields = ['type', 'status', 'reason', 'message', 'lastTransitionTime', 'observedGeneration'];

function isCondition({ properties = {} }: JSONSchemaProps): boolean {
  const names = Object.keys(properties);
  const statuses = properties.status?.enum ?? [];
  return names.every((name) => conditionFields.includes(name)) && 'type' in properties && statuses.includes('Unknown');
}

function imported(file: TypeFile, name: string): string {
  file.imports.add(name);
  return name;
}

function property(name: string, type: TypeText): string[] {
  const line = `  ${name}: ${inline(type)};`;
  const { members, isList } = type;
  if (line.length <= WIDTH || members.length === 1) return [line];
  const lines = members.map((member) => `    | ${member}`);
  if (isList) return [`  ${name}: (`, ...lines, '  )[];'];
  return [`  ${name}:`, ...lines.slice(0, -1), `${lines.at(-1)};`];
}

function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const quoted = JSON.stringify(value);
  return value.includes("'") ? quoted : `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** `my-field` as a part of a type's name. */
export function pascal(name: string): string {
  return name
    .replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/\W/g, '');
}

function singular(name: string): string {
  if (/ies$/.test(name)) return name.replace(/ies$/, 'y');
  if (/(ss|x|ch|sh)es$/.test(name)) return name.replace(/es$/, '');
  return /[^s]s$/.test(name) ? name.slice(0, -1) : `${name}Item`;
}

function freeName(file: TypeFile, wanted: string): string {
  let name = wanted;
  for (let count = 2; file.interfaces.has(name); count += 1) name = `${wanted}${count}`;
  return name;
}
