// The README's example is test/readme-example.ts, which runs.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '..');
const example = join(folder, 'test', 'readme-example.ts');
const run = async (...args: string[]) =>
  await promisify(execFile)(process.execPath, ['--conditions=source', '--no-warnings', example, ...args]);

it('the example in the README is the one that is tested', async () => {
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``);
});

it('the example in the README runs', async () => {
  expect((await run('list', 'Ghent')).stdout).toBe('NAME     OPEN\nbakery   yes\n');
  expect((await run('list', 'Ghent', '-o', 'json')).stdout).toBe('[{"name":"bakery","open":"yes"}]\n');
  await expect(run('list', 'Bruges')).rejects.toMatchObject({
    code: 1,
    stderr: 'error: no shop in Bruges\n  fix: try Ghent\n',
  });
});
