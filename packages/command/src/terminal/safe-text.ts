/**
 * Text that comes from a cluster may hold anything: a log line that moves the cursor, recolours the screen, retitles the
 * window or turns the reading direction around. Here it becomes text that only looks. Pure.
 */

/** Control characters but for tab and newline, and what changes the direction or the width of what follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const treacherous = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The same with every treacherous character written out: `\x1b`. Lines stay lines. */
export function safeText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(treacherous, written);
}

/** On one line. */
export function safeLine(text: string): string {
  return safeText(text)
    .replaceAll(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ');
}

/** A copy of plain data in which every text is safe, names of fields included. */
export function safeData<T>(value: T): T {
  if (typeof value === 'string') return safeText(value) as T;
  if (Array.isArray(value)) return value.map(safeData) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [safeText(name), safeData(field)])) as T;
}

/** JSON in which they are written as JSON writes them: it reads back as the same. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(treacherous, (one) => `\\u${codeOf(one).padStart(4, '0')}`);
}

function written(character: string): string {
  const code = codeOf(character);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
