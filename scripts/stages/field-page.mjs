/** docs/reference/fields.md: every field of the healer's CRDs, from the CRDs themselves. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const folder = 'deploy/manifests/kurator/crds';
/** Where the page is. */
export const fieldPage = 'docs/reference/fields.md';

/**
 * @typedef {{ type?: string, description?: string, default?: unknown, enum?: unknown[], format?: string, pattern?: string,
 *   minimum?: number, maximum?: number, minLength?: number, maxLength?: number, minItems?: number, maxItems?: number,
 *   required?: string[], properties?: Record<string, Schema>, items?: Schema, additionalProperties?: Schema | boolean,
 *   'x-kubernetes-int-or-string'?: boolean, 'x-kubernetes-validations'?: { rule: string, message?: string }[] }} Schema
 */

/** The whole page. */
export function fieldPageText() {
  const files = readdirSync(folder).filter((name) => name.includes('.kurator.sh'));
  const crds = files.map((name) => parse(readFileSync(join(folder, name), 'utf8')));
  const sections = crds.map(sectionOf);
  return [
    '# Fields of the CRDs',
    '',
    '<!-- Made by `npm run field-reference` from deploy/manifests/kurator/crds: change the schemas. -->',
    '',
    'Every field of what Kurator adds to a cluster, as the API server checks it; `kubectl explain kurator.spec` shows the same.',
    'A star marks what must be given. `[]` is an item of a list, `{}` a value of a map.',
    '',
    ...sections,
  ].join('\n');
}

/** @param {{ spec: { group: string, scope: string, names: { kind: string, plural: string, shortNames?: string[] }, versions: { name: string, storage: boolean, schema: { openAPIV3Schema: Schema } }[] } }} crd */
function sectionOf({ spec: { group, scope, names, versions } }) {
  const [version] = versions.filter(({ storage }) => storage);
  const schema = version?.schema.openAPIV3Schema ?? {};
  const short = names.shortNames?.length ? `, short ${names.shortNames.map((one) => `\`${one}\``).join(', ')}` : '';
  const where = scope === 'Cluster' ? 'one for the whole cluster' : 'in a namespace';
  const parts = ['spec', 'status'].flatMap((part) => {
    const rows = rowsOf(schema.properties?.[part] ?? {}, part, false);
    return rows.length === 0
      ? []
      : [
          `### ${names.kind} ${part}`,
          '',
          '| field | type | unless given | what it is |',
          '| --- | --- | --- | --- |',
          ...rows,
          '',
        ];
  });
  return [
    `## ${names.kind}`,
    '',
    `${schema.description ?? ''} \`${names.plural}.${group}/${version?.name}\`${short}; ${where}.`,
    '',
    ...parts,
  ].join('\n');
}

/**
 * @param {Schema} schema
 * @param {string} path
 * @param {boolean} isNeeded
 * @returns {string[]}
 */
function rowsOf(schema, path, isNeeded) {
  const isTop = !path.includes('.');
  const own = isTop ? rulesOf(schema).map((text) => `| \`${path}\` | | | ${text} |`) : [rowOf(schema, path, isNeeded)];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    rowsOf(field, `${path}.${name}`, schema.required?.includes(name) ?? false),
  );
  const items = schema.items?.properties ? rowsOf(schema.items, `${path}[]`, false).slice(1) : [];
  const more = schema.additionalProperties;
  const values = typeof more === 'object' && more.properties ? rowsOf(more, `${path}{}`, false).slice(1) : [];
  return [...own, ...fields, ...items, ...values];
}

/**
 * @param {Schema} schema
 * @param {string} path
 * @param {boolean} isNeeded
 */
function rowOf(schema, path, isNeeded) {
  const isGiven = schema.default !== undefined;
  const unlessGiven = isGiven ? `\`${JSON.stringify(schema.default)}\`` : '';
  const meaning = [schema.description, ...rulesOf(schema), ...rulesOf(schema.items ?? {})]
    .filter(Boolean)
    .map(cell)
    .join(' ');
  return `| \`${path}\`${isNeeded && !isGiven ? ' *' : ''} | ${cell(typeOf(schema))} | ${cell(unlessGiven)} | ${meaning} |`;
}

/** @param {Schema} schema */
function rulesOf(schema) {
  return (schema['x-kubernetes-validations'] ?? []).flatMap(({ message }) => (message ? `Rule: ${message}.` : []));
}

/** @param {Schema} schema @returns {string} */
function typeOf(schema) {
  if (schema['x-kubernetes-int-or-string']) return 'int or string';
  if (schema.enum) return schema.enum.map((one) => `\`${one}\``).join(', ');
  if (schema.type === 'array')
    return `list of ${schema.items?.properties ? 'objects' : typeOf(schema.items ?? {})}${limits(schema.minItems, schema.maxItems)}`;
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema.type === 'string')
    return `${schema.format === 'date-time' ? 'time' : 'string'}${schema.maxLength && schema.format !== 'date-time' ? `, to ${schema.maxLength} characters` : ''}`;
  return `${schema.type ?? 'anything'}${limits(schema.minimum, schema.maximum)}`;
}

/** @param {number | undefined} least @param {number | undefined} most */
function limits(least, most) {
  if (least === undefined && most === undefined) return '';
  // Bounds of the type itself say nothing.
  if (most !== undefined && most >= 2147483647) return least ? `, from ${least}` : '';
  return most === undefined ? `, from ${least}` : `, ${least ?? 0} to ${most}`;
}

/** @param {string | undefined} text */
function cell(text = '') {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
