/** What the README shows is what there is: the operator of operators/myapp, small enough to be shown, and an incident as it is told. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeLines } from './author-lines.mjs';

const readme = readFileSync('README.md', 'utf8');
const source = readFileSync('operators/myapp/src/index.ts', 'utf8');

it('the README shows the operator as it is', () => {
  const withoutHeader = source.slice(source.indexOf('\n') + 1).trim();
  expect(readme).toContain(`\`\`\`ts\n${withoutHeader}\n\`\`\``);
});

it('MyApp takes at most 30 lines', () => {
  const main = readFileSync('operators/myapp/src/main.ts', 'utf8');
  expect(codeLines(source, 'ts').length + codeLines(main, 'ts').length).toBeLessThanOrEqual(30);
});

it('the README shows the beginning of an incident as `explain` prints it', () => {
  const shown = /\n```\n\$ kubectl kurator explain web\n([\s\S]+?)…\n```\n/.exec(readme)?.[1] ?? '';
  const printed = readFileSync('packages/kubectl-kurator/test/golden/explain-hang.txt', 'utf8');
  expect(shown.split('\n').length).toBeGreaterThan(10);
  expect(printed.slice(0, shown.length)).toBe(shown);
});
