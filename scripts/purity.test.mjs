// What goes into a brain's thought is what it is given: else no replay, simulation or proof says anything about it. Imports from
// outside are kept out by the import rules; these are the names that need none.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const impure =
  /\b(?:Date\.now|Math\.random|performance|process|globalThis|crypto|Buffer|fetch|setTimeout|setInterval|setImmediate|queueMicrotask|console)\b|\bnew Date\(\)|\bimport\(|\bimport\.meta\b|\bawait\b/g;

/**
 * Code without comments and without text in quotes.
 *
 * @param {string} source
 */
const codeOf = (source) => source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'/g, '');

it('the brains ask no clock, no chance and nobody else, in any of their files', async () => {
  const files = globSync('operators/*/src/brain/**/*.ts').filter((path) => !path.endsWith('.test.ts'));
  expect(files).toEqual(
    expect.arrayContaining(['kurator', 'etcd'].map((name) => expect.stringContaining(`/${name}/`))),
  );
  const found = await Promise.all(
    files.map(async (file) => {
      const code = codeOf(await readFile(file, 'utf8'));
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
