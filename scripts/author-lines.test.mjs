/** The page with the lines that an author writes says what the script counts. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { authorLines, codeLines } from './author-lines.mjs';

it('the page has the table that the script prints', () => {
  expect(readFileSync('docs/explanation/author-lines.md', 'utf8')).toContain(`\n${authorLines()}\n`);
});

describe('lines of code', () => {
  it.each([
    ['ts', "/** What it is. */\n\n// why\nconst a = '//'; // still code\n/*\n * more\n */\nrun(a);\n", 2],
    ['go', '// Package a does.\npackage a\n\n// +kubebuilder:validation:Minimum=0\nvar b = 1\n', 3],
    ['py', '"""What it is."""\n"""Longer,\nand more."""\n# why\nimport kopf\n', 1],
    ['yaml', '# why\nkind: A\n\nspec: {}\n', 2],
    ['rs', '//! What it is.\nfn main() {}\n', 1],
  ])('of %s are those that are neither blank nor comment', (extension, source, count) => {
    expect(codeLines(source, extension)).toHaveLength(count);
  });
});
