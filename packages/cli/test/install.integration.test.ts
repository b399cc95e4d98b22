// Kurator into a cluster that was not made for it, and out again: everything but pods that run.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, Deployment, Namespace, ServiceAccount } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { Kurator } from '@kurator/operator-kurator';
import { type Cluster, testCluster } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runCommandLine } from '../src/program.ts';
import { fakeSession } from './fake-session.ts';

const healer = { name: 'kurator', namespace: 'kurator' };
const crd = { name: 'kurators.kurator.sh' };
let cluster: Cluster;
let client: Client;
let bin: string;

beforeAll(async () => {
  cluster = await testCluster({ nodes: 0 });
  client = await cluster.client();
  bin = await mkdtemp(join(tmpdir(), 'kur-bin-'));
  vi.stubEnv('PATH', bin);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(bin, { recursive: true, force: true });
  await client.close();
  await cluster[Symbol.asyncDispose]();
});

async function kurator(...args: string[]) {
  const session = fakeSession();
  await runCommandLine([...args, '--kubeconfig', cluster.kubeconfig], session);
  return session.said;
}
const install = async (...args: string[]) =>
  await kurator('install', '--image', 'kurator:of-an-installation', '--no-wait', '--plugin-folder', bin, ...args);
const modeOf = ({ spec }: Deployment) =>
  spec?.template.spec?.containers[0]?.env?.find(({ name }) => name === 'KURATOR_MODE')?.value;

it('shows the plan and does nothing: in a dry run, and where nobody says yes', async () => {
  const dry = await install('--dry-run');
  expect(dry).toMatchObject({ code: 0 });
  for (const part of ['Installs Kurator', 'Observe, so it only says what it would do', `${bin}/kubectl-kurator`]) {
    expect(dry.stdout).toContain(part);
  }
  expect(dry.stdout).toContain('+ Deployment kurator/kurator');
  const unasked = await install();
  expect(unasked).toMatchObject({ stderr: expect.stringContaining('nothing was done'), code: 2 });
  expect(await client.find(Namespace, { name: 'kurator' })).toBeUndefined();
  expect(await readdir(bin)).toEqual([]);
});

it('wants to know where the image comes from', async () => {
  expect(await kurator('install', '--yes')).toMatchObject({ code: 2, stderr: expect.stringContaining('--registry') });
});

it('installs it, which only observes at first, puts kubectl kurator in place, and has nothing to do again', async () => {
  expect(await install('--yes')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('kurator adopt deployment/web'),
  });
  expect(modeOf(await client.get(Deployment, healer))).toBe('Observe');
  expect(await readdir(bin)).toEqual(['kubectl-kurator']);
  const again = await install();
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(': 0 of ') });
});

it('upgrades it, and leaves the switch as it is unless told', async () => {
  expect((await install('--yes', '--replicas', '3')).stdout).toContain('spec.replicas: 2 → 3');
  expect(modeOf(await client.get(Deployment, healer))).toBe('Observe');
  expect((await install('--yes', '--replicas', '3', '--on')).stdout).toContain('the switch of the cluster is On');
});

it('is taken out again: only what it made, and neither CRDs nor Kurators', async () => {
  await client.create(ServiceAccount, { metadata: { name: 'kurator', namespace: 'default' } });
  await client.create(Kurator, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { targetRef: { kind: 'Deployment', name: 'web' } } as never,
  });
  expect(await kurator('uninstall')).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing was done') });
  expect(await kurator('uninstall', '--yes')).toMatchObject({ code: 0 });
  expect(await client.find(Deployment, healer)).toBeUndefined();
  expect(await readdir(bin)).toEqual([]);
  expect(await client.find(Kurator, { name: 'web', namespace: 'default' })).toBeDefined();
  expect(await client.find(ServiceAccount, { name: 'kurator', namespace: 'default' })).toBeDefined();
  const asked = await kurator('uninstall', '--crds');
  expect(asked.stderr).toContain('ALL 1 Kurators');
  expect(await client.find(CustomResourceDefinition, crd)).toBeDefined();
  expect(await kurator('uninstall', '--crds', '--yes')).toMatchObject({ code: 0 });
  expect(await client.find(CustomResourceDefinition, crd)).toBeUndefined();
});

it('leaves alone what Helm keeps', async () => {
  await client.create(Namespace, { metadata: { name: 'helmed' } });
  const labels = { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/instance': 'care' };
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'operator', image: 'a:1' }] } };
  await client.create(Deployment, {
    metadata: { name: 'kurator', namespace: 'helmed', labels },
    spec: { selector: { matchLabels: { a: 'b' } }, template },
  });
  const refused = { code: 1, stderr: expect.stringContaining('helm upgrade care') };
  expect(await install('--yes', '-n', 'helmed')).toMatchObject(refused);
  expect(await kurator('uninstall', '--yes', '-n', 'helmed')).toMatchObject(refused);
});
