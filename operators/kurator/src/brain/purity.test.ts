// What goes into a thought is what it is given: else no replay, simulation or proof says anything about it. Imports from
// outside are kept out by the import rules; these are the names that need none.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const impure =
  /\b(?:Date\.now|Math\.random|performance|process|globalThis|crypto|Buffer|fetch|setTimeout|setInterval|setImmediate|queueMicrotask|console)\b|\bnew Date\(\)|\bimport\(|\bimport\.meta\b|\bawait\b/g;

/** Code without comments and without text in quotes. */
function codeOf(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'/g, '');
}

describe('the brain', () => {
  it('asks no clock, no chance and nobody else, in any of its files', async () => {
    const files = (await readdir(import.meta.dirname, { recursive: true })).filter((name) =>
      /(?<!\.test)\.ts$/.test(name),
    );
    expect(files).toContain('think.ts');
    const found = await Promise.all(
      files.map(async (file) => {
        const code = codeOf(await readFile(join(import.meta.dirname, file), 'utf8'));
        return [...code.matchAll(impure)].map(([name]) => `${file}: ${name}`);
      }),
    );
    expect(found.flat()).toEqual([]);
  });

  it.each([
    'const at = Date.now();',
    'const at = new Date();',
    'if (Math.random() < 0.5) wait();',
    'const begunAt = performance.now();',
    'const { env } = process;',
    "await import('node:fs');",
  ])('would be caught at %s', (code) => {
    expect(codeOf(code)).toMatch(impure);
  });

  it('may say such names in comments and in text, and write a given time', () => {
    expect(codeOf("/** No Date.now here. */ const says = 'no process'; // performance")).not.toMatch(impure);
    expect(codeOf('new Date(at).toISOString()')).not.toMatch(impure);
  });
});
