/** The reference of the API says what the sources say, and each export says what it is for. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { apiPages, documented } from './stages/api-pages.mjs';

/** @type {ReturnType<typeof apiPages>} */
let made;

beforeAll(() => {
  made = apiPages();
  // It compiles all packages, which takes a while on a busy machine.
}, 120_000);

it('no export is without a comment', () => {
  expect(made.missing).toEqual([]);
});

it.each(documented)('the page of %s is up to date: else run `npm run api-reference`', (name) => {
  const file = `docs/reference/api/${name}.md`;
  expect(readFileSync(file, 'utf8')).toBe(made.pages.get(file));
});

it('has a signature, a text and a source for each export', () => {
  const page = made.pages.get('docs/reference/api/runtime.md') ?? '';
  expect(page).toContain('### operator\n');
  expect(page).toContain('function operator(');
  expect(page).toContain('[packages/runtime/src/operator/declare-operator.ts]');
});
