// The README's example is this folder's readme-example.ts, which runs.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { sharedClient } from '@kurator/testenv';
import { expect, it, onTestFinished } from 'vitest';

const example = join(import.meta.dirname, 'readme-example.ts');

it('the example in the README is the one that is tested', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``);
});

it('the example in the README runs, and its CRD is one that the server takes', async () => {
  const client = await sharedClient();
  onTestFinished(() => client.close());
  const env = { ...process.env, KUBECONFIG: process.env.KURATOR_TEST_KUBECONFIG };
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', example], { env });
  expect(stdout).toBe('db every 24h\n');
  await waitFor(client, CustomResourceDefinition, { name: 'backups.example.com' }, ({ status }) =>
    Boolean(status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')),
  );
});
