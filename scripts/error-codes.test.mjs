/** Every error code in the sources is in docs/reference/errors.md, and the other way round. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** @param {string} text */
const codesIn = (text) => new Set(text.match(/KUR_[A-Z]+_[A-Z_]*[A-Z]/g) ?? []);

/** A code that only a test makes up. */
const isTest = (/** @type {string} */ file) => file.includes('.test.') || file.includes('/test/');

it('the reference lists exactly the codes that exist', () => {
  const sources = globSync('packages/*/src/**/*.ts').filter((file) => !isTest(file));
  const used = codesIn(sources.map((file) => readFileSync(file, 'utf8')).join('\n'));
  const listed = codesIn(readFileSync('docs/reference/errors.md', 'utf8'));
  expect([...listed].sort()).toEqual([...used].sort());
});
