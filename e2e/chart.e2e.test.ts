/**
 * The healer from its sources to a cluster, as its users get it there: its image is built, and installed by `kurator
 * deploy`, then by Helm, under the restricted Pod Security Standard. One story, told in order.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, Deployment, Namespace, Pod, waitFor, waitUntilGone } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { Kurator, KuratorSwitch } from '@kurator/operator-kurator';
import { busyboxImage, type Cluster, createCluster, eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workload } from './support/healer/services.ts';
import { chart, helm, obtainHelm } from './support/helm.ts';
import { kubectl, patiently } from './support/kubectl.ts';
import {
  type BuiltImage,
  buildHealer,
  kurator as command,
  healerProject as project,
  root,
} from './support/kurator-command.ts';
import { coldStart, leaderOf, podsOf } from './support/operator-pods.ts';

const healer = { name: 'kurator', namespace: 'kurator' };
/** A name of its own: what `kurator deploy` knows of an image is what was last built under its name on this machine. */
const tag = 'kurator:e2e-chart';
const LARGEST = 60e6;

interface Scores {
  tests: { result: string }[];
  levels: { lines: { id: string; result: string }[] }[];
}

let cluster: Cluster;
let client: Client;
let helmProgram: string;
let image: BuiltImage;

beforeAll(async () => {
  const making = createCluster({ name: 'e2e-chart', nodes: 2 });
  helmProgram = obtainHelm();
  [{ cluster }, image] = await Promise.all([making, buildHealer(tag)]);
  client = await cluster.client();
  await cluster.load(image.path);
});
afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

const kurator = (...args: string[]) => command(cluster.kubeconfig, ...args);
const run = (...args: string[]) => helm(helmProgram, cluster, ...args);
const isRolledOut =
  (replicas: number) =>
  ({ metadata, status }: Deployment) =>
    status?.observedGeneration === metadata.generation &&
    status?.availableReplicas === replicas &&
    status.replicas === replicas;

const pods = async () => await podsOf(client, healer);

describe('before it is deployed', () => {
  it.concurrent('its image is the same in two builds, and small', async () => {
    expect((await buildHealer(tag)).digest).toBe(image.digest);
    expect(image.size).toBeLessThan(LARGEST);
    console.log(`image: ${(image.size / 1e6).toFixed(1)} MB compressed, ${image.digest}`);
  });

  it.concurrent('kurator deploy says what it would do, and does nothing', async () => {
    expect(await kurator('deploy', project, '--dry-run')).toContain('+ Deployment kurator/kurator');
    expect(await client.find(Namespace, { name: 'kurator' })).toBeUndefined();
  });
});

describe('kurator deploy', () => {
  it('runs two replicas on two nodes, where only restricted pods may', async () => {
    expect(await kurator('deploy', project, '--image', tag)).toContain('kurator is running');
    const { metadata } = await client.get(Namespace, { name: 'kurator' });
    expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const running = await pods();
    expect(new Set(running.map(({ spec }) => spec?.nodeName)).size).toBe(2);
  });

  it.concurrent('has nothing to do when nothing has changed', async () => {
    expect(await kurator('deploy', project, '--image', tag)).toContain('0 of');
  });

  it.concurrent('lives up to most of what it claims, and says what not', async () => {
    const args = ['--monitoring', join(root, 'deploy/monitoring'), '--level', '0', '-o', 'json'];
    const { tests, levels } = JSON.parse(await kurator('scorecard', project, ...args)) as Scores;
    expect(tests.map(({ result }) => result)).toEqual(Array.from({ length: 6 }, () => 'met'));
    const lines = levels.flatMap((level) => level.lines).map(({ id, result }) => [id, result]);
    expect(Object.fromEntries(lines)).toMatchObject({
      'install-ready': 'met',
      'upgrade-definitions': 'met',
      // Nothing is deleted or restarted unless that is asked for.
      'lifecycle-takeover': 'untested',
      'insight-alerts': 'met',
      'insight-dashboard': 'met',
      'autopilot-tune': 'unmet',
    });
  });

  it('goes on when the leader is deleted', async () => {
    const first = await leaderOf(client, healer);
    await client.delete(Pod, { name: first, namespace: 'kurator' });
    await eventually(async () => expect(await leaderOf(client, healer)).not.toBe(first), patiently);
    await waitFor(client, Deployment, healer, isRolledOut(2), { description: 'to be whole again' });
    console.log(`cold start in a pod: ${(await coldStart(cluster, client, healer)).toFixed(2)} s`);
  });

  it('is undone, and leaves its kinds', async () => {
    await kurator('undeploy', project);
    expect(await client.find(CustomResourceDefinition, { name: 'kurators.kurator.sh' })).toBeDefined();
    await kurator('undeploy', project, '--crds', '--yes');
    expect(await client.find(CustomResourceDefinition, { name: 'kurators.kurator.sh' })).toBeUndefined();
    await waitUntilGone(client, Namespace, { name: 'kurator' });
  });
});

describe('kurator install, in a cluster that was not made for it', () => {
  it('observes a service that is there, says what it would do, and does it once it is switched on', async () => {
    await cluster.load((await busyboxImage()).path);
    const { metadata, spec } = workload('web', { replicas: 2, isProbed: true });
    const { replicas, selector, template } = spec;
    await client.create(Deployment, { metadata, spec: { replicas, selector, template } });
    const installed = await kurator('install', '--image', tag, '--replicas', '1', '--no-plugin', '--yes');
    expect(installed).toContain('Observe, so it only says what it would do');
    await kurator('adopt', 'deployment/web', '--apply');
    await eventually(async () => expect(await kurator('get', 'web')).toMatch(/web +Healthy +2\/2/), patiently);
    const { items } = await client.list(Pod, { namespace: 'default', labelSelector: 'app=web' });
    const ill = { name: items[0]?.metadata.name ?? '', namespace: 'default' };
    await cluster.faults.freeze({ pod: ill.name, namespace: ill.namespace });
    await eventually(
      async () => expect(await kurator('report')).toMatch(/default\/web-1 +hang +would repair +replace/),
      patiently,
    );
    expect(await client.find(Pod, ill)).toBeDefined();
    expect(await kurator('resume', '--everything')).toContain('the switch of the cluster is On');
    await waitUntilGone(client, Pod, ill, { timeout: 200_000 });
    await eventually(async () => expect(await kurator('get', 'web')).toMatch(/web +Healthy +2\/2/), patiently);
  });

  it('is taken out again, and the service runs on', async () => {
    await kurator('uninstall', '--crds', '--yes');
    await waitUntilGone(client, Namespace, { name: 'kurator' });
    expect((await client.get(Deployment, { name: 'web', namespace: 'default' })).status?.readyReplicas).toBe(2);
    await client.delete(Deployment, { name: 'web', namespace: 'default' });
  });
});

describe('the chart', () => {
  let values: string[];
  let older: string;

  beforeAll(async () => {
    // From where nodes pull it, as they do elsewhere.
    const registry = await cluster.registry();
    await kurator('push', image.path, `${new URL(registry.url).host}/demo/kurator:v1`, '--insecure');
    const from = `kurator.image.repository=${registry.name}/demo/kurator,kurator.image.tag=v1`;
    values = ['--namespace', 'kurator', '--set', from, '--wait', '--timeout', '90s'];
    // As an earlier version would have it: a kind without its short name.
    older = await mkdtemp(join(tmpdir(), 'kurator-chart-'));
    await cp(chart, older, { recursive: true });
    const file = join(older, 'templates/kurator/crds/kurators.kurator.sh.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace(/ {4}shortNames:\n( {6}- .*\n)+/, ''));
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await client.create(Namespace, { metadata: { name: 'kurator', labels } });
  });
  afterAll(async () => await rm(older, { recursive: true, force: true }));

  const shortNames = async () =>
    (await client.get(CustomResourceDefinition, { name: 'kurators.kurator.sh' })).spec.names.shortNames ?? [];

  it('has no fault that helm lint could see', async () => {
    expect(await run('lint', chart)).toContain('0 chart(s) failed');
  });

  it.each([
    ['as it is', []],
    ['with all operators', ['myapp.enabled=true', 'webserver.enabled=true']],
    ['in some namespaces, with optional rights', ['kurator.watchNamespaces={default}', 'kurator.roles.exec=true']],
    ['with settings', ['kurator.allowAddresses={10.0.0.5/32,10.1.0.0/16}', 'kurator.limits.concurrent=2']],
    ['with agents whose key is there already', ['kurator.agents.enabled=true', 'kurator.agents.existingSecret=keys']],
    [
      'with a dashboard, variables and a place',
      ['dashboard.enabled=true', 'kurator.env[0].name=A', 'kurator.nodeSelector.a=b'],
    ],
  ])('is accepted by the API server: %s', async (_, settings) => {
    const text = await run(
      'template',
      'kurator',
      chart,
      '-n',
      'default',
      '--kube-version',
      '1.36',
      ...settings.flatMap((each) => ['--set', each]),
    );
    await kubectl(cluster, ['apply', '--dry-run=server', '-f', '-'], text);
  });

  it('gives rights in the namespaces that it works in and in no others, and none to make workloads if told', async () => {
    const settings = ['watchNamespaces={default}', 'roles.secrets=true', 'roles.exec=true', 'roles.workloads=false'];
    const args = settings.flatMap((each) => ['--set', `kurator.${each}`]);
    const text = await run('template', 'kurator', chart, '-n', 'kurator', '--kube-version', '1.36', ...args);
    const rights = text.split(/^---$/m).filter((document) => /^kind: (Cluster)?Role(Binding)?$/m.test(document));
    // Its own namespace is not made yet.
    const objects = rights.filter((document) => !/^ {2}namespace: "?kurator"?$/m.test(document)).join('---\n');
    await kubectl(cluster, ['apply', '-f', '-'], objects);
    const may = (verb: string, what: string, namespace: string) => {
      const [kind = '', subresource = ''] = what.split('/');
      const whose = ['-n', namespace, '--as', 'system:serviceaccount:kurator:kurator'];
      const asked = ['auth', 'can-i', verb, kind, `--subresource=${subresource}`, ...whose];
      return kubectl(cluster, asked).then(
        () => true,
        () => false,
      );
    };
    try {
      expect(await may('get', 'secrets', 'default')).toBe(true);
      expect(await may('create', 'pods/exec', 'default')).toBe(true);
      expect(await may('patch', 'deployments.apps', 'default')).toBe(true);
      expect(await may('get', 'secrets', 'kube-system')).toBe(false);
      expect(await may('create', 'pods/exec', 'kube-system')).toBe(false);
      expect(await may('create', 'deployments.apps', 'default')).toBe(false);
      expect(await may('delete', 'deployments.apps', 'default')).toBe(false);
    } finally {
      await kubectl(cluster, ['delete', '-f', '-'], objects);
    }
  });

  it('refuses a value that it does not know', async () => {
    await expect(
      run('template', 'kurator', chart, '--kube-version', '1.36', '--set', 'kurator.replica=3'),
    ).rejects.toThrow(/replica/);
  });

  it('is installed', async () => {
    await run('install', 'kurator', older, ...values);
    expect((await pods()).length).toBe(2);
    expect(await shortNames()).toEqual([]);
    const spec = { targetRef: { kind: 'Deployment', name: 'web' } } as never;
    await client.create(Kurator, { metadata: { name: 'web', namespace: 'default' }, spec });
    const obeyed = await waitFor(
      client,
      KuratorSwitch,
      { name: 'cluster' },
      ({ status }) => status?.mode === 'Observe',
    );
    expect(obeyed.spec.by).toBe('the installation');
  });

  it('is upgraded, with its kinds, to an image by its digest', async () => {
    await run(
      'upgrade',
      'kurator',
      chart,
      ...values,
      '--set',
      `kurator.replicas=1,kurator.image.digest=${image.digest}`,
    );
    expect((await client.get(Deployment, healer)).spec?.replicas).toBe(1);
    expect(await shortNames()).not.toEqual([]);
    expect((await client.get(KuratorSwitch, { name: 'cluster' })).spec.mode).toBe('Observe');
  });

  it('is rolled back', async () => {
    await run('rollback', 'kurator', '1', '--namespace', 'kurator', '--wait', '--timeout', '90s');
    expect((await client.get(Deployment, healer)).spec?.replicas).toBe(2);
    await leaderOf(client, healer);
  });

  it('is uninstalled, and leaves its kinds and their objects', async () => {
    await run('uninstall', 'kurator', '--namespace', 'kurator', '--wait');
    expect(await client.find(Deployment, healer)).toBeUndefined();
    expect((await client.get(Kurator, { name: 'web', namespace: 'default' })).metadata.name).toBe('web');
    await run('install', 'kurator', chart, '--namespace', 'kurator', '--set', 'kurator.replicas=0');
  });
});

describe("MyApp's chart", () => {
  const app = { name: 'myapp-sample', namespace: 'default' };
  const manifest = (replicas: number) =>
    JSON.stringify({
      apiVersion: 'example.com/v1alpha1',
      kind: 'MyApp',
      metadata: app,
      spec: { replicas, image: 'none' },
    });

  it('is installed, and what kubectl creates, configures and deletes is looked after', async () => {
    const built = await kurator(
      'build',
      join(root, 'operators/myapp'),
      '--tag',
      'myapp-operator:e2e-chart',
      '-o',
      'json',
    );
    await cluster.load((JSON.parse(built) as BuiltImage).path);
    const settings = 'kurator.enabled=false,myapp.enabled=true,myapp.replicas=1';
    const from = 'myapp.image.repository=docker.io/library/myapp-operator,myapp.image.tag=e2e-chart';
    const place = ['--namespace', 'myapp', '--create-namespace', '--wait', '--timeout', '90s'];
    await run('install', 'myapp', chart, ...place, '--set', `${settings},${from}`);
    const said = async (replicas: number) => await kubectl(cluster, ['apply', '-f', '-'], manifest(replicas));
    expect(await said(1)).toBe('myapp.example.com/myapp-sample created\n');
    await waitFor(client, Deployment, app, ({ spec }) => spec?.replicas === 1);
    expect(await said(2)).toBe('myapp.example.com/myapp-sample configured\n');
    await waitFor(client, Deployment, app, ({ spec }) => spec?.replicas === 2);
    const deleted = await kubectl(cluster, ['delete', 'myapp', app.name]);
    expect(deleted).toMatch(/^myapp\.example\.com "myapp-sample" deleted/);
    await waitUntilGone(client, Deployment, app);
  });
});
