// The README's example is this folder's readme-example.ts, which runs.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const example = join(import.meta.dirname, 'readme-example.ts');

it('the example in the README is the one that is tested', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``);
});

it('the example in the README runs, and says what the README says', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', example]);
  const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`\n${stdout}\`\`\``);
});
