/**
 * Places in a manifest that a chart's values fill. Manifests are made as they always are, with a mark where a value goes;
 * written as YAML, each mark becomes what Helm understands. So a chart has no manifests of its own that could drift away.
 */
import { stringify } from 'yaml';

/** A value as text: in quotes, whatever it is. */
export function textHole(expression: string): string {
  return `⟦text ${expression}⟧`;
}

/** A number or a boolean. The type is what the manifest wants; the mark only stands in for it. */
export function bareHole<T = number>(expression: string): T {
  return `⟦bare ${expression}⟧` as unknown as T;
}

/** A map or a list, or items at the end of a list; left out, with its key, where the value is empty. */
export function blockHole<T>(expression: string): T {
  return `⟦block ${expression}⟧` as unknown as T;
}

/** The object as a template of Helm. */
export function templateOf(object: object): string {
  const yaml = stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
  // A pair of braces in a description must reach the cluster as it is.
  return yaml.replaceAll('{{', '{{ "{{" }}').split('\n').flatMap(filled).join('\n');
}

const MARK = /['"]?⟦(text|bare) ([^⟧]+)⟧['"]?/g;
const BLOCK = /^(?<indent>\s*)(?:(?<key>[^\s:]+): |- )['"]?⟦block (?<expression>[^⟧]+)⟧['"]?$/;

function filled(line: string): string[] {
  const { indent = '', key, expression } = BLOCK.exec(line)?.groups ?? {};
  if (expression === undefined) {
    return [line.replace(MARK, (_, sort, value) => `{{ ${unescaped(value)}${sort === 'text' ? ' | quote' : ''} }}`)];
  }
  const inner = indent.length + (key ? 2 : 0);
  return [
    `${indent}{{- with ${unescaped(expression)} }}`,
    ...(key ? [`${indent}${key}:`] : []),
    `${' '.repeat(inner)}{{- toYaml . | nindent ${inner} }}`,
    `${indent}{{- end }}`,
  ];
}

/** YAML may have put the mark into double quotes, and the quotes in it behind backslashes. */
function unescaped(expression: string): string {
  return expression.replaceAll('\\"', '"');
}
