// A dry run of a whole operator, and the API server's own record of it: what would be written is told, nothing is.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, ConfigMap, createClient, loadKubeconfig, Pod, Secret } from '@kurator/client';
import { type Cluster, createCluster, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { child, installCrds, operator, PermanentError } from '../src/index.ts';
import { Garden } from './support/garden.ts';

let cluster: Cluster;
let folder: string;
let client: Client;
let namespace: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kurator-audit-'));
  const [policy, log] = [join(folder, 'policy.yaml'), join(folder, 'audit.log')];
  // With the requests' bodies: that is where a deletion says that it isn't one.
  await writeFile(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Request }]\n');
  const apiServerArguments = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
  ({ cluster } = await createCluster({ name: `dry-run-${process.pid}`, apiServerArguments }));
  client = createClient(await loadKubeconfig(cluster.kubeconfig));
  await installCrds(client, [Garden]);
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
  if (folder) await rm(folder, { recursive: true });
});

beforeEach(async () => {
  namespace = await testNamespace(client, 'garden');
});

const gardener = operator()
  .controller(Garden)
  .owns(ConfigMap)
  .owns(Secret)
  .cleanup(() => {
    throw new Error('a dry run must not clean up');
  })
  .reconcile(async ({ metadata, spec }, { applyAll, event, client, dryRun }) => {
    if (spec.soil === 'lava') throw new PermanentError('nothing grows in lava', { reason: 'BadSoil' });
    if (spec.soil === 'careless') await client.exec({ name: 'any', namespace }, ['rm', '-rf', '/']);
    event('Normal', 'Digging', `dry run: ${dryRun}`);
    const beds = spec.beds.map((name) => [name, child(ConfigMap, { metadata: { name }, data: { grows: name } })]);
    await applyAll({
      ...Object.fromEntries(beds),
      key: child(Secret, { metadata: { name: `${metadata.name}-key` }, stringData: { shed: `${spec.soil}` } }),
    });
    return { status: { planted: spec.beds.length } };
  });

interface AuditEntry {
  stage: string;
  verb: string;
  requestURI: string;
  user: { username: string };
  requestObject?: { dryRun?: string[] };
}

/** What the API server has written down of our requests that ask for a change. */
async function asked(): Promise<AuditEntry[]> {
  const text = await readFile(join(folder, 'audit.log'), 'utf8');
  const entries = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry);
  const isOurs = ({ stage, user }: AuditEntry) => stage === 'ResponseComplete' && user.username === 'kurator-admin';
  return entries.filter((entry) => isOurs(entry) && !['get', 'list', 'watch'].includes(entry.verb));
}

const isDry = ({ requestURI, requestObject }: AuditEntry) =>
  requestURI.includes('dryRun=All') || requestObject?.dryRun?.includes('All') === true;

/** Everything there is, with its versions. */
async function contents(): Promise<string[]> {
  const lists = await Promise.all([Garden, ConfigMap, Secret, Pod].map((type) => client.list(type, { namespace })));
  return lists.flatMap(({ items }) =>
    items.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`),
  );
}

const plant = (name: string, spec: Partial<Garden['spec']>) =>
  client.create(Garden, { metadata: { name, namespace }, spec: { beds: [], ...spec } });

const letting = operator({ name: 'letting' })
  .controller(Garden)
  .owns(ConfigMap)
  .reconcile(async ({ spec }, { apply, applyAll, release, remove }) => {
    if (spec.soil === 'sand') {
      await release(ConfigMap, 'b');
      // Changed first, and then removed.
      await apply(ConfigMap, { metadata: { name: 'c' }, data: { grows: 'moss' } });
      await remove(ConfigMap, 'c');
    }
    await applyAll(Object.fromEntries(spec.beds.map((name) => [name, child(ConfigMap, { metadata: { name } })])));
    return { status: { planted: spec.beds.length } };
  });

describe('a dry run', () => {
  it('tells what is let go of from what goes', async () => {
    await plant('iris', { beds: ['a', 'b', 'c', 'd'] });
    const running = await letting.start({ client, namespaces: namespace, http: false, log: 'silent' });
    await expect.poll(async () => (await client.get(Garden, { name: 'iris', namespace })).status?.planted).toBe(4);
    await running.stop();
    await client.patch(Garden, { name: 'iris', namespace }, { spec: { beds: ['a'], soil: 'sand' } });

    const { changes, failures } = await letting.dryRun({ client, namespaces: namespace });

    const maps = changes.filter(({ kind }) => kind === 'ConfigMap').map(({ action, key }) => [action, key]);
    expect(failures).toEqual([]);
    expect(maps.sort()).toEqual([
      ['delete', `${namespace}/c`],
      ['delete', `${namespace}/d`],
      ['update', `${namespace}/b`],
    ]);
  });

  it('tells field by field what would be made, changed and deleted, and the server has stored none of it', async () => {
    await plant('rose', { beds: ['a', 'b'], soil: 'loam' });
    const running = await gardener.start({ client, namespaces: namespace, http: false, log: 'silent' });
    await expect.poll(async () => (await client.get(Garden, { name: 'rose', namespace })).status?.planted).toBe(2);
    await running.stop();
    await client.patch(Garden, { name: 'rose', namespace }, { spec: { beds: ['b', 'c'], soil: 'peat' } });
    await client.patch(ConfigMap, { name: 'b', namespace }, { data: { grows: 'moss' } });
    const [before, askedBefore] = [await contents(), await asked()];

    const report = await gardener.dryRun({ client, namespaces: namespace });

    const shape = report.changes.map(({ action, kind, key, fields }) => [
      action,
      kind,
      key,
      fields.map(({ path }) => path),
    ]);
    expect(shape).toEqual([
      ['delete', 'ConfigMap', `${namespace}/a`, expect.anything()],
      ['update', 'ConfigMap', `${namespace}/b`, ['data.grows']],
      ['create', 'ConfigMap', `${namespace}/c`, expect.arrayContaining(['data.grows', 'metadata.name'])],
      [
        'update',
        'Garden',
        `${namespace}/rose`,
        ['status.conditions[Ready].observedGeneration', 'status.observedGeneration'],
      ],
      ['update', 'Secret', `${namespace}/rose-key`, ['data.shed']],
    ]);
    expect(report.failures).toEqual([]);
    expect(report.events).toMatchObject([{ reason: 'Digging', note: 'dry run: true' }]);
    const text = String(report);
    expect(text).toContain(`~ ConfigMap ${namespace}/b (for Garden ${namespace}/rose)\n    data.grows: "moss" → "b"`);
    expect(text).toContain('data.shed: "(kept secret)" → "(kept secret)"');
    expect(text).not.toContain(Buffer.from('peat').toString('base64'));
    expect(text).toMatch(/1 reconciled, 1 to delete, 1 to create, 3 to change, 0 failed; nothing was written$/);

    const askedNow = (await asked()).slice(askedBefore.length);
    expect(askedNow.length).toBeGreaterThanOrEqual(5);
    expect(askedNow.filter((entry) => !isDry(entry))).toEqual([]);
    expect(askedBefore.every(isDry)).toBe(false);
    expect(await contents()).toEqual(before);
  });

  it('tells first what would be deleted, whoever it is for', async () => {
    await plant('apple', { beds: ['a'] });
    await plant('zinnia', { beds: ['z'] });
    const running = await gardener.start({ client, namespaces: namespace, http: false, log: 'silent' });
    for (const name of ['apple', 'zinnia']) {
      await expect.poll(async () => (await client.get(Garden, { name, namespace })).status?.planted).toBe(1);
    }
    await running.stop();
    await client.patch(Garden, { name: 'apple', namespace }, { spec: { beds: ['a', 'b'] } });
    await client.patch(Garden, { name: 'zinnia', namespace }, { spec: { beds: [] } });

    const report = await gardener.dryRun({ client, namespaces: namespace });

    expect(report.changes[0]).toMatchObject({ action: 'delete', kind: 'ConfigMap', key: `${namespace}/z` });
    expect(report.changes.filter(({ action }) => action === 'delete')).toHaveLength(1);
    expect(String(report).split('\n')[0]).toBe(`- ConfigMap ${namespace}/z (for Garden ${namespace}/zinnia)`);
  });

  it('has nothing to tell of what is as it should be', async () => {
    await plant('rose', { beds: ['a'] });
    const running = await gardener.start({ client, namespaces: namespace, http: false, log: 'silent' });
    await expect.poll(async () => (await client.get(Garden, { name: 'rose', namespace })).status?.planted).toBe(1);
    await running.stop();
    const { changes, reconciled } = await gardener.dryRun({ client, namespaces: namespace });
    expect({ changes, reconciled }).toEqual({ changes: [], reconciled: 1 });
  });

  it('tells of each object that fails, and of those that wait for their clean-up, which it does not try', async () => {
    await plant('careless', { soil: 'careless' });
    await plant('lava', { soil: 'lava' });
    await plant('good', { beds: ['a'] });
    await client.create(Garden, {
      metadata: { name: 'gone', namespace, finalizers: ['test.dev/wait'] },
      spec: { beds: [] },
    });
    await client.delete(Garden, { name: 'gone', namespace });
    const before = await contents();

    const report = await gardener.dryRun({ client, namespaces: namespace });

    expect(report.failures.map((failure) => [failure.for, (failure.error as { code: string }).code])).toEqual([
      [`Garden ${namespace}/careless`, 'KUR_RUNTIME_DRY_RUN'],
      [`Garden ${namespace}/lava`, 'KUR_RUNTIME_PERMANENT'],
    ]);
    expect(report.cleanups).toEqual([`Garden ${namespace}/gone`]);
    const lava = report.changes.find(({ key }) => key === `${namespace}/lava`);
    expect(lava?.fields).toContainEqual({ path: 'status.conditions[Ready].reason', after: 'BadSoil' });
    expect(report.changes.some(({ key }) => key === `${namespace}/a`)).toBe(true);
    expect(await contents()).toEqual(before);
    for (const name of ['gone']) await client.patch(Garden, { name, namespace }, { metadata: { finalizers: null } });
  });
});
