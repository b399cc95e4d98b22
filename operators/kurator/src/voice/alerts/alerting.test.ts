import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noteOf } from './alerting.ts';

describe('what an Event says', () => {
  const others = [
    { name: 'control plane', state: 'answers' },
    { name: 'nodes', state: '3 of 3 ready' },
    { name: 'shop/db', state: 'down' },
  ];

  it('is what happened, then how the others do', () => {
    expect(noteOf(['shop/web is not well', 'web-a hangs'], others)).toBe(
      'shop/web is not well\nweb-a hangs\nOthers: control plane: answers, nodes: 3 of 3 ready, shop/db: down',
    );
    expect(noteOf(['shop/web is not well'], [])).toBe('shop/web is not well');
  });

  it('is all of the others, though the story is too long for it', () => {
    for (const letter of ['a', 'é', '→']) {
      expect(noteOf([letter.repeat(3000)], others)).toMatch(/…\nOthers: control plane: .*, shop\/db: down$/);
    }
  });

  it('is the whole story and the worst of the others, though these are too many', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ name: `shop/service-${index}`, state: 'impaired' }));
    const note = noteOf(['a'.repeat(600)], [...others, ...many]);
    expect(note).toMatch(/^a{600}\nOthers: control plane: answers, .*shop\/service-0: impaired, .*…$/);
  });

  it('is taken by the server, whatever happened', () => {
    const words = fc.string({ unit: 'binary', maxLength: 1500 });
    const states = fc.array(fc.record({ name: words, state: words }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(words, { maxLength: 3 }), states, (lines, states) => {
        const note = noteOf(lines, states);
        expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
        expect(note.isWellFormed()).toBe(true);
      }),
    );
  });
});
