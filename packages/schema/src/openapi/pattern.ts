/**
 * JavaScript's regular expressions in the words of RE2, which the API server runs. RE2 can't look around or refer back;
 * a look-ahead at the very beginning is a second expression that must match too, or must not, so that one can be kept.
 */

/** What a text must fulfil to match the expression. */
export interface Patterns {
  /** All of them must match. */
  readonly all: readonly string[];
  /** None of them may match. */
  readonly none: readonly string[];
}

/** Thrown where RE2 has no words for it; the message says what it is. */
export class PatternProblem extends Error {}

const flagsInRe2 = new Set(['i', 's', 'm']);
// How a text is searched makes no difference to whether it matches.
const flagsWithoutMeaning = new Set(['g', 'd', 'u']);
// RE2 refuses to count further.
const MOST_REPEATS = 1000;

/** Says the same in RE2, or throws a {@link PatternProblem}. */
export function re2Of(expression: RegExp): Patterns {
  const flags = [...expression.flags];
  const unknown = flags.find((flag) => !flagsInRe2.has(flag) && !flagsWithoutMeaning.has(flag));
  if (unknown) throw new PatternProblem(`the flag "${unknown}"`);
  const kept = flags.filter((flag) => flagsInRe2.has(flag)).join('');
  const prefix = kept ? `(?${kept})` : '';
  const { rest, ahead, notAhead } = leadingLookAheads(expression.source);
  const say = (source: string) => prefix + translate(source, expression.unicode);
  return { all: [...ahead.map(say), say(rest)], none: notAhead.map(say) };
}

/** An expression that matches exactly this text. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function leadingLookAheads(source: string): { rest: string; ahead: string[]; notAhead: string[] } {
  const ahead: string[] = [];
  const notAhead: string[] = [];
  let rest = source;
  while (/^\^\(\?[=!]/.test(rest)) {
    const end = endOfGroup(rest, 1);
    (rest[3] === '=' ? ahead : notAhead).push(`^(?:${rest.slice(4, end)})`);
    rest = `^${rest.slice(end + 1)}`;
  }
  // In `^(?=a)b|c` the look-ahead counts for the first half alone.
  if (rest !== source && hasAlternatives(rest)) throw new PatternProblem('a look-ahead in one of several alternatives');
  return { rest, ahead, notAhead };
}

function endOfGroup(source: string, start: number): number {
  let depth = 0;
  for (const [index, char] of structure(source, start)) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth === 0) return index;
  }
  return source.length;
}

function hasAlternatives(source: string): boolean {
  let depth = 0;
  for (const [, char] of structure(source, 0)) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth === 0 && char === '|') return true;
  }
  return false;
}

/** The characters that are neither escaped nor in a class. */
function* structure(source: string, start: number): Generator<[number, string]> {
  let inClass = false;
  for (let index = start; index < source.length; index += 1) {
    const char = source.charAt(index);
    if (char === '\\') index += 1;
    else if (inClass) inClass = char !== ']';
    else if (char === '[') inClass = true;
    else yield [index, char];
  }
}

const parts: readonly [pattern: RegExp, say: (found: RegExpExecArray, unicode: boolean) => string][] = [
  [/\[\^\]/y, () => '(?s:.)'],
  [/\[\]/y, () => '[^\\x00-\\x{10FFFF}]'],
  [/\[(\^?)((?:\\.|[^\]\\])*)\]/y, ([, not, content = ''], unicode) => `[${not}${inClass(content, unicode)}]`],
  [/\(\?<?[=!]/y, () => problem('a look-ahead or look-behind in the middle')],
  [/\(\?<([A-Za-z_]\w*)>/y, ([, name]) => `(?P<${name}>`],
  [/\{(\d+)(?:,(\d*))?\}/y, ([all, least, most]) => repeats(all, Math.max(Number(least), Number(most ?? 0)))],
];

function translate(source: string, unicode: boolean): string {
  let said = '';
  let index = 0;
  while (index < source.length) {
    const [text, next] =
      source[index] === '\\' ? escapeAt(source, index, unicode, false) : part(source, index, unicode);
    said += text;
    index = next;
  }
  return said;
}

function part(source: string, index: number, unicode: boolean): [text: string, next: number] {
  for (const [pattern, say] of parts) {
    pattern.lastIndex = index;
    const found = pattern.exec(source);
    if (found) return [say(found, unicode), pattern.lastIndex];
  }
  return [source.charAt(index), index + 1];
}

function inClass(content: string, unicode: boolean): string {
  let said = '';
  let index = 0;
  while (index < content.length) {
    const char = String.fromCodePoint(content.codePointAt(index) ?? 0);
    // RE2 would read `[:alpha:]` as a name.
    const [text, next] = char === '\\' ? escapeAt(content, index, unicode, true) : [char, index + char.length];
    said += text === '[' ? '\\[' : text;
    index = next;
  }
  return said;
}

const escapes: readonly [pattern: RegExp, say: (found: RegExpExecArray, inClass: boolean) => string][] = [
  [/\\[dDwWsStnrvf]/y, ([all]) => all],
  [/\\b/y, (_, inClass) => (inClass ? '\\x08' : '\\b')],
  [/\\B/y, ([all]) => all],
  [/\\0(?!\d)/y, () => '\\x00'],
  [/\\(?:\d|k<)/y, () => problem('a reference back to a group')],
  [/\\x([0-9a-fA-F]{2})/y, ([all]) => all],
  [/\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/y, ([, high = '', low = '']) => pair(high, low)],
  [/\\u(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{4}))/y, ([, long, short]) => codePoint(long ?? short ?? '')],
  [/\\c([A-Za-z])/y, ([, letter = '']) => codePoint((letter.charCodeAt(0) % 32).toString(16))],
];
const property = /\\([pP])\{(?:(?:General_Category|gc|Script|sc)=)?([A-Za-z_]+)\}/y;

function escapeAt(source: string, index: number, unicode: boolean, inClass: boolean): [text: string, next: number] {
  property.lastIndex = index;
  const named = unicode ? property.exec(source) : null;
  if (named) return [propertyOf(named), property.lastIndex];
  for (const [pattern, say] of escapes) {
    pattern.lastIndex = index;
    const found = pattern.exec(source);
    if (found) return [say(found, inClass), pattern.lastIndex];
  }
  const char = String.fromCodePoint(source.codePointAt(index + 1) ?? 0);
  // `\q` is `q` to JavaScript; RE2 has meanings of its own for escaped letters, such as `\A`.
  const plain = /[A-Za-z0-9]/.test(char) || (char.codePointAt(0) ?? 0) > 127;
  return [plain ? char : `\\${char}`, index + 1 + char.length];
}

function propertyOf([all, letter, name = '']: RegExpExecArray): string {
  const isScript = /(?:Script|sc)=/.test(all);
  if (!isScript && !/^[A-Z][a-z]?$/.test(name)) return problem(`the property ${all}`);
  return `\\${letter}{${name}}`;
}

function repeats(text: string, most: number): string {
  return most <= MOST_REPEATS ? text : problem(`a count of more than ${MOST_REPEATS}`);
}

function pair(high: string, low: string): string {
  const point = 0x10000 + ((Number.parseInt(high, 16) - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00);
  return codePoint(point.toString(16));
}

function codePoint(hex: string): string {
  const point = Number.parseInt(hex, 16);
  return point >= 0xd800 && point <= 0xdfff ? problem('half of a surrogate pair') : `\\x{${hex}}`;
}

function problem(what: string): never {
  throw new PatternProblem(what);
}
