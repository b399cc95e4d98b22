// The README's example is this folder's readme-example.ts, which runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigMap, Namespace, waitFor } from '@kurator/client';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { expect, it, onTestFinished } from 'vitest';

const example = join(import.meta.dirname, 'readme-example.ts');

it('the example in the README is the one that is tested', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``);
});

it('the example in the README runs, follows a change, and ends when it is asked to', async () => {
  const client = await sharedClient();
  onTestFinished(() => client.close());
  const namespace = await testNamespace(client, 'readme');
  const env = { ...process.env, KUBECONFIG: process.env.KURATOR_TEST_KUBECONFIG };
  const operator = spawn(process.execPath, ['--conditions=source', example], { env, stdio: 'ignore' });
  const ended = once(operator, 'exit');
  const says = (team: string) =>
    waitFor(client, ConfigMap, { name: 'welcome', namespace }, ({ data }) => data?.team === team, { timeout: 20_000 });
  await client.patch(Namespace, { name: namespace }, { metadata: { labels: { team: 'blue' } } });
  await says('blue');
  await client.patch(Namespace, { name: namespace }, { metadata: { labels: { team: 'red' } } });
  await says('red');
  operator.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
