import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wrap } from './wrap.ts';

it('goes on under the beginning of the sentence', () => {
  expect(wrap('replaces web-1, which hangs, and waits for it', 30, '16:01  ')).toBe(
    ['16:01  replaces web-1, which', '       hangs, and waits for it'].join('\n'),
  );
});

it('leaves a sentence alone where there is no end of the line', () => {
  expect(wrap('a '.repeat(200), undefined, '- ')).toBe(`- ${'a '.repeat(200)}`);
});

it('loses nothing, and never writes over the edge', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,60}$/)), fc.integer({ min: 24, max: 90 }), (words, width) => {
      const text = wrap(words.join(' '), width, '    ');
      expect(text.replaceAll(/\s/g, '')).toBe(words.join(''));
      expect(text.split('\n').every((line) => line.length <= width)).toBe(true);
    }),
  );
});
