import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('is `kurator init`', async () => {
  const main = join(import.meta.dirname, 'main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', main, '--help']);
  expect(stdout).toContain('Usage: kurator init');
});
