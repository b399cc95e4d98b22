/** The example in packages/testenv/README.md is a program that runs. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const testenv = join(import.meta.dirname, '..', 'packages', 'testenv');
const example = join(testenv, 'test', 'readme-example.ts');

it('the example in the README is the one that is tested', async () => {
  const readme = await readFile(join(testenv, 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``);
});

it('the example in the README runs', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', example]);
  expect(stdout).toMatch(/^1 node at https:\/\/10\.\d+\.0\.2:6443, Kubernetes 1\.36\.\d+\n$/);
});
