// The README's example is this folder's readme-example.ts, which runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigMap, isNotFound, untyped, waitFor } from '@kurator/sdk';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { expect, it, onTestFinished, vi } from 'vitest';

const example = join(import.meta.dirname, 'readme-example.ts');
const Greeting = untyped('example.com/v1', 'Greeting');

it('the example in the README is the one that is tested', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``);
});

it('the example in the README installs its kind, follows a change, and ends when it is asked to', async () => {
  const client = await sharedClient();
  onTestFinished(() => client.close());
  const namespace = await testNamespace(client, 'readme');
  const reference = { name: 'world', namespace };
  const env = { ...process.env, KUBECONFIG: process.env.KURATOR_TEST_KUBECONFIG };
  const running = spawn(process.execPath, ['--conditions=source', example], { env, stdio: 'ignore' });
  const ended = once(running, 'exit');
  const says = async (text: string) => {
    await waitFor(client, ConfigMap, reference, ({ data }) => data?.text === text, { timeout: 20_000 });
    await waitFor(client, Greeting, reference, ({ status }) => status?.text === text);
  };
  // The kind is there as soon as the operator has installed it.
  const create = () => client.create(Greeting, { metadata: reference, spec: { name: 'world' } });
  await vi.waitFor(create, { timeout: 20_000, interval: 200 });
  await says('hello world');
  await client.patch(Greeting, reference, { spec: { excited: true } });
  await says('hello world!');
  await expect(client.create(Greeting, { metadata: { name: 'x', namespace }, spec: {} })).rejects.not.toSatisfy(
    isNotFound,
  );
  running.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
