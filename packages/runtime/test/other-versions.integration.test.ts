/**
 * A whole operator on API servers of other versions than the one it was made for: the release before, and a server that
 * behaves like one that is too old, which among other things doesn't stream lists.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap, serverVersion, waitFor, waitUntilGone } from '@kurator/client';
import { type ClusterOptions, createCluster, eventually, testNamespace } from '@kurator/testenv';
import { expect, it, onTestFinished } from 'vitest';
import { Echo, installEcho } from './support/echo.ts';
import { isReady } from './support/echo-operator.ts';
import { startEchoProgram } from './support/echo-program.ts';

async function lifeOn(options: ClusterOptions) {
  const { cluster } = await createCluster({
    ...options,
    name: `version-${options.version ?? 'old'}-${process.pid}`.replaceAll('.', '-'),
  });
  onTestFinished(() => cluster.down());
  const client = await cluster.client();
  onTestFinished(() => client.close());
  await installEcho(client);
  const namespace = await testNamespace(client, 'version');
  const folder = await mkdtemp(join(tmpdir(), 'outside-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const end = new AbortController();
  const operator = startEchoProgram({ namespace, folder }, end.signal, cluster.kubeconfig);
  onTestFinished(async () => {
    end.abort();
    await operator.ended;
  });

  const echo = { name: 'a', namespace };
  await client.create(Echo, { metadata: echo, spec: { message: 'hello', copies: 2 } });
  await waitFor(client, Echo, echo, isReady);
  await client.patch(Echo, echo, { spec: { message: 'bye', copies: 1 } });
  await waitFor(client, Echo, echo, isReady);
  expect((await client.get(ConfigMap, echo)).data).toEqual({ message: 'bye' });
  await waitUntilGone(client, ConfigMap, { name: 'a-1', namespace });
  await client.delete(Echo, echo);
  await waitUntilGone(client, Echo, echo);
  await eventually(async () => expect((await operator.ask('/readyz')).status).toBe(200));
  const warnings = operator.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  return { version: await serverVersion(client), warnings };
}

it('works on a server that behaves like a much older one, and warns of it', { timeout: 120_000 }, async () => {
  const { version, warnings } = await lifeOn({ apiServerArguments: ['--emulated-version=1.33'] });
  expect(version).toMatchObject({ major: 1, minor: 33 });
  expect(warnings).toEqual([expect.stringMatching(/in the manner of 1\.33, and this client was made for .* older/)]);
});

const binaries = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kurator', 'binaries');
const isFetched = (await readdir(binaries).catch(() => [])).some((name) => name.startsWith('kubernetes-1.35'));

// Most machines have only the newest: CI brings the other, or `kurator cluster fetch 1.35`.
it.runIf(isFetched)('works on the release before, without a warning', { timeout: 120_000 }, async () => {
  const { version, warnings } = await lifeOn({ version: '1.35' });
  expect(version).toMatchObject({ major: 1, minor: 35 });
  expect(warnings).toEqual([]);
});
