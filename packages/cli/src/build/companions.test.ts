import { describe, expect, it } from 'vitest';
import { builtName, withCompanions } from './companions.ts';

const there = new Set(['/app/src/thread.ts', '/app/data/names.json']);

function moved(text: string): { text: string; found: string[] } {
  const found: string[] = [];
  const result = withCompanions(
    text,
    { folder: '/app/src', root: '/app' },
    (path) => found.push(path),
    (path) => there.has(path),
  );
  return { text: result, found };
}

describe('what a program refers to by its place', () => {
  it.each([
    ['a thread', `new URL('./thread.ts', import.meta.url)`, `new URL('./thread.js', import.meta.url)`],
    [
      'a thread by its published name',
      `new URL("./thread.js", import.meta.url)`,
      `new URL("./thread.js", import.meta.url)`,
    ],
    [
      'a file elsewhere',
      `new URL('../data/names.json', import.meta.url)`,
      `new URL('./files/ffac7ac8b94e/names.json', import.meta.url)`,
    ],
  ])('lies beside it after bundling: %s', (_, before, after) => {
    const { text, found } = moved(`start(${before});`);
    expect(text).toBe(`start(${after});`);
    expect(found).toHaveLength(1);
  });

  it('is found in both arms of a choice', () => {
    const { text, found } = moved(`new URL(
      import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js',
      import.meta.url,
    )`);
    expect(new Set(found)).toEqual(new Set(['/app/src/thread.ts']));
    expect(text).not.toContain('thread.ts');
  });

  it('keeps two files of one name apart, and from what the bundle has itself', () => {
    const [one, other] = ['/app/a/package.json', '/app/b/package.json'].map((path) => builtName(path, '/app'));
    expect(one).not.toBe(other);
    expect([one, other]).not.toContain('package.json');
    expect(builtName('/elsewhere/a/package.json', '/elsewhere')).toBe(one);
  });

  it.each([
    `new URL('./missing.ts', import.meta.url)`,
    `new URL('./thread.ts', base)`,
    `new URL('.', import.meta.url)`,
  ])('is left alone: %s', (text) => expect(moved(text)).toEqual({ text, found: [] }));
});
