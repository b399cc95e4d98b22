/** The little of CEL that this package writes itself: names and literals. */

// What the API server escapes, because CEL has a meaning for it.
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const substitutes: readonly [text: string, escape: string][] = [
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
];

/** How a rule names a field, or undefined where no rule can. */
export function celField(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  const escaped = substitutes.reduce((text, [from, to]) => text.replaceAll(from, to), name);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}

/** A constant, as a rule writes it. */
export function celLiteral(value: unknown): string {
  return typeof value === 'string' ? celString(value) : JSON.stringify(value);
}

/** A list of constants, as a rule writes it. */
export function celList(values: readonly unknown[]): string {
  return `[${values.map(celLiteral).join(', ')}]`;
}

function celString(text: string): string {
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(/[\n\r\t]/g, (char) => ({ '\n': '\\n', '\r': '\\r' })[char] ?? '\\t');
  return `'${escaped}'`;
}
