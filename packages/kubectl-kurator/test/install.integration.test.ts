// Kurator into a cluster that was not made for it, and out again: everything but pods that run.
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { runCommandLine } from '@kurator/cli';
import { type Client, Deployment, Namespace, ServiceAccount } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { NetworkPolicy } from '@kurator/client/networking/v1';
import { fakeSession } from '@kurator/command/testing';
import { Kurator, KuratorSwitch } from '@kurator/operator-kurator';
import { type Cluster, localRegistry, testCluster } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

const healer = { name: 'kurator', namespace: 'kurator' };
const crd = { name: 'kurators.kurator.sh' };
const { PATH: programs = '', XDG_CACHE_HOME: usualCache } = process.env;
const hasRegistry = programs.split(delimiter).some((folder) => existsSync(join(folder, 'docker-registry')));
let cluster: Cluster;
let client: Client;
let bin: string;

// Each run of the command bundles the operator, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

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
/** With the programs that find what this machine's Node needs, and without an image left in its cache. */
async function building<Result>(act: () => Promise<Result>): Promise<Result> {
  const cache = await mkdtemp(join(tmpdir(), 'kur-cache-'));
  vi.stubEnv('PATH', `${bin}${delimiter}${programs}`);
  vi.stubEnv('XDG_CACHE_HOME', cache);
  try {
    return await act();
  } finally {
    vi.stubEnv('PATH', bin);
    vi.stubEnv('XDG_CACHE_HOME', usualCache);
    await rm(cache, { recursive: true, force: true });
  }
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

it('shows what an upgrade would remove, and asks before it does so', async () => {
  const less = await install('--no-network-policy', '--no-reference-policy', '--set', 'kurator.limits.repairs=7');
  expect(less.stdout).toContain('KURATOR_LIMITS');
  expect(less).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing was done') });
  for (const gone of ['- NetworkPolicy kurator/kurator', '- ValidatingAdmissionPolicy ']) {
    expect(less.stdout).toContain(gone);
  }
  expect(await client.find(NetworkPolicy, healer)).toBeDefined();
});

it('upgrades what somebody has edited, and definitions that do harm, only if told; before it builds anything', async () => {
  const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/reason/maxLength';
  const longer = [{ op: 'replace', path, value: 4096 }];
  await client.patch(CustomResourceDefinition, { name: 'kuratorswitches.kurator.sh' }, longer, { type: 'json' });
  const nowhere = ['--registry', '127.0.0.1:1/team', '--yes', '--no-wait', '--plugin-folder', bin];
  const edited = await kurator('install', ...nowhere);
  expect(edited).toMatchObject({ code: 1, stderr: expect.stringContaining('--force-conflicts') });
  const harmful = await kurator('install', ...nowhere, '--force-conflicts');
  expect(harmful).toMatchObject({ code: 1, stderr: expect.stringContaining('accept it with --allow-breaking-crds') });
  expect(await install('--yes', '--force-conflicts', '--allow-breaking-crds')).toMatchObject({ code: 0 });
});

it('upgrades it, and leaves the switch as it is unless told', async () => {
  expect((await install('--yes', '--replicas', '3')).stdout).toContain('spec.replicas: 2 → 3');
  expect(modeOf(await client.get(Deployment, healer))).toBe('Observe');
  const on = ['--replicas', '3', '--on'];
  expect(await install(...on)).toMatchObject({ code: 2, stdout: expect.stringContaining('Observe → On') });
  expect(await client.find(KuratorSwitch, { name: 'cluster' })).toBeUndefined();
  expect((await install('--yes', ...on)).stdout).toContain('the switch of the cluster is On');
});

it.runIf(hasRegistry)('builds the image, pushes it, and runs what the registry has then', async () => {
  await using registry = await building(localRegistry);
  const place = `${registry.host}/team`;
  const args = ['--registry', place, '--yes', '--no-wait', '--plugin-folder', bin];
  const said = await building(async () => await kurator('install', ...args));
  expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('is built, and pushed') });
  const { spec } = await client.get(Deployment, healer);
  const [image = '', digest] = spec?.template.spec?.containers[0]?.image?.split('@') ?? [];
  expect(image).toMatch(new RegExp(`^${place}/kurator:`));
  const tag = image.slice(image.lastIndexOf(':') + 1);
  const accept = 'application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json';
  const manifest = `http://${registry.host}/v2/team/kurator/manifests/${tag}`;
  const { headers } = await fetch(manifest, { headers: { accept } });
  expect(headers.get('docker-content-digest')).toBe(digest);
});

it('is taken out again: only what it made, and neither CRDs nor Kurators', async () => {
  await client.create(ServiceAccount, { metadata: { name: 'kurator', namespace: 'default' } });
  await client.create(Kurator, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { targetRef: { kind: 'Deployment', name: 'web' } } as never,
  });
  const unasked = await kurator('uninstall');
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing was done') });
  expect(unasked.stdout).toContain('- KuratorSwitch cluster (On, set by');
  expect(await kurator('uninstall', '--yes')).toMatchObject({ code: 0 });
  expect(await client.find(Deployment, healer)).toBeUndefined();
  expect(await readdir(bin)).toEqual([]);
  expect(await client.find(Kurator, { name: 'web', namespace: 'default' })).toBeDefined();
  expect(await client.find(ServiceAccount, { name: 'kurator', namespace: 'default' })).toBeDefined();
  expect(await client.find(KuratorSwitch, { name: 'cluster' })).toBeUndefined();
});

it('says what a switch that was left behind says, and turns it before it runs if told', async () => {
  const left = { metadata: { name: 'cluster' }, spec: { mode: 'On', by: 'ann' } as const };
  await client.create(KuratorSwitch, left, { fieldManager: 'kurator-cli' });
  // Nobody here takes away a namespace that is deleted.
  const place = ['-n', 'care'];
  const plan = await install('--dry-run', ...place);
  expect(plan.stdout).toContain('the switch of the cluster is On, set by ann, and stays');
  expect(await install('--observe', '--yes', ...place)).toMatchObject({ code: 0 });
  expect((await client.get(KuratorSwitch, left.metadata)).spec.mode).toBe('Observe');
  expect(modeOf(await client.get(Deployment, { ...healer, namespace: 'care' }))).toBe('Observe');
});

it('is taken out with its CRDs if told', async () => {
  const asked = await kurator('uninstall', '--crds', '-n', 'care');
  expect(asked.stderr).toContain('ALL 1 Kurators');
  expect(await client.find(CustomResourceDefinition, crd)).toBeDefined();
  expect(await kurator('uninstall', '--crds', '--yes', '-n', 'care')).toMatchObject({ code: 0 });
  expect(await client.find(CustomResourceDefinition, crd)).toBeUndefined();
});

it('leaves alone what Helm keeps', async () => {
  await client.create(Namespace, { metadata: { name: 'helmed' } });
  const labels = {
    'app.kubernetes.io/name': 'kurator',
    'app.kubernetes.io/component': 'operator',
    'app.kubernetes.io/managed-by': 'Helm',
    'app.kubernetes.io/instance': 'care',
  };
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'operator', image: 'a:1' }] } };
  await client.create(Deployment, {
    metadata: { name: 'kurator', namespace: 'helmed', labels },
    spec: { selector: { matchLabels: { a: 'b' } }, template },
  });
  const refused = { code: 1, stderr: expect.stringContaining('helm upgrade care -n helmed') };
  expect(await install('--yes')).toMatchObject(refused);
  const crds = await kurator('uninstall', '--yes', '--crds');
  expect(crds).toMatchObject({ code: 1, stderr: expect.stringContaining('also runs in the namespace helmed') });
  expect(await install('--yes', '-n', 'helmed')).toMatchObject(refused);
  expect(await kurator('uninstall', '--yes', '-n', 'helmed')).toMatchObject(refused);
});
