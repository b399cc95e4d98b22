// From a workload that is there to one that is looked after, while Kurator only observes; on an API server of its own,
// for the switch is the whole cluster's.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommandLine } from '@kurator/cli';
import { type Client, isConflict, Namespace } from '@kurator/client';
import { fakeSession } from '@kurator/command/testing';
import { AlertChannel, healer, Incident, Kurator, KuratorSwitch } from '@kurator/operator-kurator';
import { installCrds, type RunningOperator } from '@kurator/sdk';
import { type Cluster, eventually, testCluster } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type StagedDeployment, stageDeployment } from './support/staged-deployment.ts';

const namespace = 'shop';
const patient = { timeout: '40s' } as const;
let cluster: Cluster;
let client: Client;
let running: RunningOperator;
let web: StagedDeployment;

async function kurator(...args: string[]) {
  const session = fakeSession();
  await runCommandLine([...args, '--kubeconfig', cluster.kubeconfig], session);
  return session.said;
}

beforeAll(async () => {
  cluster = await testCluster({ nodes: 0 });
  client = await cluster.client();
  await installCrds(client, [Kurator, Incident, AlertChannel, KuratorSwitch]);
  await client.create(Namespace, { metadata: { name: namespace } });
  web = await stageDeployment(client, namespace, 'web', 2);
  running = await healer({ threads: 0, mode: 'Observe' }).start({ client, http: false, log: 'silent' });
});
afterAll(async () => {
  await running.stop();
  await client.close();
  await cluster[Symbol.asyncDispose]();
});

it('writes a Kurator for a workload that is there, which the server accepts, and never over one', async () => {
  const { stdout, stderr, code } = await kurator('adopt', 'deploy/web', '-n', namespace);
  expect(code).toBe(0);
  expect(stderr).toContain('no check: neither probe nor port is there');
  expect(parse(stdout)).toMatchObject({ kind: 'Kurator', spec: { targetRef: { kind: 'Deployment', name: 'web' } } });
  expect(await client.find(Kurator, { name: 'web', namespace })).toBeUndefined();

  expect(await kurator('adopt', 'deploy/web', '-n', namespace, '--apply')).toMatchObject({ code: 0, stdout: '' });
  await eventually(
    async () => expect((await kurator('get', '-n', namespace)).stdout).toMatch(/web +Healthy +2\/2/),
    patient,
  );
  const { stdout: table, stderr: notice } = await kurator('get', '-n', namespace);
  expect(notice).toMatch(/^The switch of the cluster is Observe.*: nothing is done; `kurator report` tells/);
  expect(table).toMatch(/^NAME/);
  const before = await client.get(Kurator, { name: 'web', namespace });
  const again = await kurator('adopt', 'deployment/web', '-n', namespace, '--apply');
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already, and stays as it is') });
  expect((await client.get(Kurator, { name: 'web', namespace })).metadata.generation).toBe(before.metadata.generation);
});

it('accepts whatever is inferred from probes of every kind', async () => {
  const probe = { periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 200 };
  const probes = {
    http: { ...probe, httpGet: { path: '/healthz', port: 'http', scheme: 'HTTPS' as const } },
    tcp: { ...probe, tcpSocket: { port: 8080 } },
    grpc: { ...probe, grpc: { port: 8080, service: 'shop.v1.Web' } },
    exec: { ...probe, exec: { command: ['sh', '-c', 'true'] } },
  };
  for (const [name, readinessProbe] of Object.entries(probes)) {
    const ports = [{ name: 'http', containerPort: 8080 }];
    const containers = [{ name: 'main', image: 'web:1', ports, readinessProbe, startupProbe: readinessProbe }];
    await stageDeployment(client, namespace, name, 0, { containers });
    const { code, stderr } = await kurator('adopt', `deployment/${name}`, '-n', namespace, '--apply');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('from the readinessProbe') });
  }
});

it.each([
  [['adopt', 'web'], 2, 'write deployment/NAME or statefulset/NAME'],
  [['adopt', 'deployment/wep', '-n', namespace], 1, 'did you mean web?'],
])('says what is wrong with %s', async (args, code, remedy) => {
  expect(await kurator(...args)).toMatchObject({ code, stderr: expect.stringContaining(remedy) });
});

it('keeps in mind who has it observe, though it does already: no later installation overrules them', async () => {
  const freeze = ['pause', '--everything', '--observe', '--reason', 'a freeze'];
  expect((await kurator(...freeze)).stdout).toContain('is Observe');
  const { spec } = await client.get(KuratorSwitch, { name: 'cluster' });
  expect(spec).toEqual({ mode: 'Observe', by: expect.not.stringContaining('installation'), reason: 'a freeze' });
  const wish = { metadata: { name: 'cluster' }, spec: { mode: 'On', by: 'the installation' } as const };
  const overruled = client.apply(KuratorSwitch, wish, { fieldManager: 'kurator-installation' });
  await expect(overruled).rejects.toSatisfy(isConflict);
  expect((await kurator(...freeze)).stdout).toContain('was Observe already');
});

it('reports what it would have done, and does it once it is switched on', async () => {
  const [ill = ''] = await web.podNames();
  await web.crash(ill);
  await eventually(async () => {
    const { stdout } = await kurator('report', '-n', namespace);
    expect(stdout).toMatch(/shop\/web-1 +crash-loop +would repair +replace/);
    expect(stdout).toMatch(/\nshop +1 +0 +1 +0 +0 +0 /);
    expect(stdout).toContain('SAVED is not known');
  }, patient);
  expect(await web.podNames()).toContain(ill);
  const { stderr } = await kurator('approve', 'web', '-n', namespace);
  expect(stderr).toContain('the switch is Observe, so nothing is done');

  const { stdout } = await kurator('resume', '--everything', '--reason', 'a good week');
  expect(stdout).toContain('the switch of the cluster is On');
  expect((await client.get(KuratorSwitch, { name: 'cluster' })).spec).toEqual({
    mode: 'On',
    by: expect.stringMatching(/./),
    reason: 'a good week',
  });
  await eventually(async () => expect(await web.podNames()).not.toContain(ill), patient);
  await web.addPod();
  await eventually(async () => {
    const { stdout } = await kurator('report', '-A', '-o', 'json', '--by-hand', '30m');
    const { total, incidents, byHand } = JSON.parse(stdout);
    expect(incidents).toMatchObject([{ namespace, name: 'web-1', ending: 'repaired', steps: ['replace'] }]);
    expect(total).toMatchObject({ incidents: 1, repaired: 1 });
    expect(total.savedMs).toBeGreaterThan(25 * 60_000);
    expect(byHand).toMatchObject({ ms: 30 * 60_000, from: 'option' });
  }, patient);
});

it('is switched off in a hurry, whoever installed it', async () => {
  expect((await kurator('pause', '--everything')).stdout).toContain('the switch of the cluster is Off');
  expect((await kurator('pause', '--everything')).stdout).toContain('was Off already');
  await eventually(
    async () => expect((await kurator('get', 'web', '-n', namespace)).stdout).toContain('Paused'),
    patient,
  );
  expect((await kurator('pause', '--everything', '--observe')).stdout).toContain('is Observe');
  expect(await kurator('pause', '--everything', 'web')).toMatchObject({ code: 2 });
});

it('is switched off without the command as the page says, also where there is no switch', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/how-to/switch.md'), 'utf8');
  const [, object = ''] = /echo '([^']+)' \| kubectl apply -f -/.exec(page) ?? [];
  await client.delete(KuratorSwitch, { name: 'cluster' });
  const { spec } = await client.apply(KuratorSwitch, JSON.parse(object), { fieldManager: 'kubectl', force: true });
  expect(spec).toEqual({ mode: 'Off', by: 'your name', reason: 'why' });
});

it('lists incidents page by page, and no more than it is told', async () => {
  const many = Array.from({ length: 450 }, (_, index) => `old-${index}`);
  const startedAt = new Date().toISOString();
  await Promise.all(
    many.map(async (name) => {
      const made = await client.create(Incident, {
        metadata: { name, namespace },
        spec: { service: 'gone', startedAt },
      });
      const status = { confirmedAt: startedAt, recoveredAt: startedAt, closedAt: startedAt, cause: 'hang' };
      await client.patch(Incident, made.metadata, { status }, { subresource: 'status' });
    }),
  );
  const { total, incidents } = JSON.parse((await kurator('report', '-A', '--limit', '3', '-o', 'json')).stdout);
  expect(total.incidents).toBe(451);
  expect(incidents).toHaveLength(3);
});
