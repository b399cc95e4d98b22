/** The operator that the README shows is operators/myapp, to the letter, and small enough to be shown. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeLines } from './author-lines.mjs';

const source = readFileSync('operators/myapp/src/index.ts', 'utf8');

it('the README shows the operator as it is', () => {
  const withoutHeader = source.slice(source.indexOf('\n') + 1).trim();
  expect(readFileSync('README.md', 'utf8')).toContain(`\`\`\`ts\n${withoutHeader}\n\`\`\``);
});

it('MyApp takes at most 40 lines', () => {
  const main = readFileSync('operators/myapp/src/main.ts', 'utf8');
  expect(codeLines(source, 'ts').length + codeLines(main, 'ts').length).toBeLessThanOrEqual(40);
});
