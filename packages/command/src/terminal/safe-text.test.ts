import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeData, safeJson, safeLine, safeText } from './safe-text.ts';

/** Anything that a terminal would obey. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const obeyed = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\x1b', '[', '2', 'J', '\x9b', '\r', '\n') }),
);

describe('text from a cluster', () => {
  it('shows what would clear the screen, retitle the window or turn the text around', () => {
    expect(safeText('\x1b[2J\x1b]0;owned\x07 ok \x9b31m \u202egnp.exe')).toBe(
      '\\x1b[2J\\x1b]0;owned\\x07 ok \\x9b31m \\u202egnp.exe',
    );
  });

  it('keeps lines, tabs, and every letter of every language', () => {
    expect(safeText('eins\r\nzwei\tdrei — 四 🎉')).toBe('eins\nzwei\tdrei — 四 🎉');
  });

  it('never holds anything that a terminal would obey', () => {
    fc.assert(fc.property(anyText, (text) => !obeyed.test(safeText(text)) && !/[\n\t]/.test(safeLine(text))));
  });

  it('is made safe wherever it stands in an object', () => {
    const object = { a: [{ '\x1bb': 'c\x1b' }], n: 1, no: null };
    expect(safeData(object)).toEqual({ a: [{ '\\x1bb': 'c\\x1b' }], n: 1, no: null });
  });

  it('reads back as the same from JSON', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = safeJson({ text });
        expect(obeyed.test(json)).toBe(false);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});
