import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './diff.ts';

describe('unifiedDiff', () => {
  it('shows a new file whole', () => {
    expect(unifiedDiff({ path: 'a.ts', before: undefined, after: 'one\ntwo\n' })).toBe(
      '--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,2 @@\n+one\n+two',
    );
  });

  it('shows what changes with three lines around it', () => {
    const before = Array.from({ length: 9 }, (_, i) => `line ${i + 1}`).join('\n');
    const after = before.replace('line 5', 'line five');
    expect(unifiedDiff({ path: 'a', before, after }).split('\n').slice(2)).toEqual([
      '@@ -2,7 +2,7 @@',
      ' line 2',
      ' line 3',
      ' line 4',
      '-line 5',
      '+line five',
      ' line 6',
      ' line 7',
      ' line 8',
    ]);
  });

  it('says where a file does not end with a newline, as diff does', () => {
    expect(unifiedDiff({ path: 'a', before: 'x\n', after: 'x' }).split('\n').slice(3)).toEqual([
      '-x',
      '+x',
      '\\ No newline at end of file',
    ]);
  });

  it('needs no memory for each pair of lines: thirty thousand of them, changed here and there, are no trouble', () => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `line ${i}`);
    const before = lines.join('\n');
    const after = lines.map((line, i) => (i % 500 === 0 ? `${line}!` : line)).join('\n');
    expect(unifiedDiff({ path: 'a', before, after }).match(/^@@/gm)).toHaveLength(60);
  });

  it('is empty where nothing changes', () => {
    expect(unifiedDiff({ path: 'a', before: 'x\n', after: 'x\n' })).toBe('');
  });

  it('has every line of both texts that is not in the other, and lets each be put together again', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 16 });
    fc.assert(
      fc.property(text, text, (old, now) => {
        const [before, after] = [old.join('\n'), now.join('\n')];
        fc.pre(before !== after);
        const diff = unifiedDiff({ path: 'x', before, after }).split('\n').slice(2);
        expect(patched(old, diff, '-', '+')).toEqual(now);
        expect(patched(now, diff, '+', '-')).toEqual(old);
      }),
    );
  });
});

/** What `patch` makes of a text that has the lines of one sign, and is to have those of the other. */
function patched(text: readonly string[], diff: readonly string[], own: string, other: string): string[] {
  const made: string[] = [];
  let next = 0;
  for (const line of diff) {
    if (line.startsWith('@@')) {
      const [, begin, length] = new RegExp(`\\${own}(\\d+),(\\d+)`).exec(line) ?? [];
      const from = Number(begin) - (length === '0' ? 0 : 1);
      made.push(...text.slice(next, from));
      next = from;
      continue;
    }
    if (line.startsWith('\\')) continue;
    if (!line.startsWith(other)) expect(line.slice(1)).toBe(text[next++]);
    if (!line.startsWith(own)) made.push(line.slice(1));
  }
  return [...made, ...text.slice(next)];
}
