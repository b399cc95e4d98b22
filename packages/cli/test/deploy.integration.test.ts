// Deploying an operator and taking it away again, on the real API server: everything but pods that run.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ClusterRole,
  ConfigMap,
  Deployment,
  Namespace,
  Role,
  RoleBinding,
  Secret,
  Service,
  untyped,
} from '@kurator/client';
import { ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { fakeSession } from '@kurator/command/testing';
import { imageFromFolder, type TestScope, testScope } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withContent } from '../src/deploy/image-content.ts';
import type { OperatorDescription } from '../src/manifests/description.ts';
import { runCommandLine } from '../src/program.ts';

const project = join(import.meta.dirname, 'support', 'gadget');
const crd = { name: 'gadgets.deploy-test.example.com' };
const Gadget = untyped('deploy-test.example.com/v1', 'Gadget');
let test: TestScope;
let operator: { name: string; namespace: string };

beforeAll(async () => {
  test = await testScope('deploy');
  operator = { name: 'gadget-operator', namespace: test.namespace };
});
afterAll(async () => await test.end());

async function kurator(command: 'deploy' | 'undeploy', ...args: string[]) {
  const session = fakeSession();
  const kubeconfig = process.env.KURATOR_TEST_KUBECONFIG ?? '';
  await runCommandLine([command, project, '-n', test.namespace, '--kubeconfig', kubeconfig, ...args], session);
  return session.said;
}
const deploy = (...args: string[]) => kurator('deploy', '--no-wait', ...args);

describe('kurator deploy', () => {
  it('shows what it would make, and makes nothing', async () => {
    const { stdout, code } = await deploy('--dry-run');
    expect(stdout).toContain(`+ Deployment ${test.namespace}/gadget-operator`);
    expect(stdout).toMatch(/nothing was written\n$/);
    expect(code).toBe(0);
    expect(await test.client.find(Deployment, operator)).toBeUndefined();
  });

  it('makes everything that the operator needs, and no more the second time', async () => {
    expect(await deploy()).toMatchObject({ code: 0 });
    const { spec } = await test.client.get(Deployment, operator);
    expect(spec?.replicas).toBe(2);
    expect(spec?.template.spec?.containers[0]?.image).toBe('gadget-operator:1.2.0');
    expect((await test.client.get(Service, operator)).spec?.ports).toMatchObject([{ port: 443 }]);
    expect((await deploy()).stdout).toContain(': 0 of ');
  });

  it('shows a change field by field', async () => {
    const { stdout } = await deploy('--dry-run', '--replicas', '3');
    expect(stdout).toContain(`~ Deployment ${test.namespace}/gadget-operator\n    spec.replicas: 2 → 3\n`);
  });

  it('asks before it overwrites what somebody else has set', async () => {
    const scaled = { spec: { replicas: 5 } };
    await test.client.patch(Deployment, operator, scaled, { fieldManager: 'somebody' });
    const { stderr, code } = await deploy();
    expect(stderr).toContain('.spec.replicas: conflict with "somebody"');
    expect(code).toBe(1);
    expect(await deploy('--force-conflicts')).toMatchObject({ code: 0 });
    expect((await test.client.get(Deployment, operator)).spec?.replicas).toBe(2);
  });

  it('refuses definitions that would lose data, writes nothing, and says what is lost', async () => {
    await test.client.create(Gadget, {
      metadata: { name: 'red', namespace: test.namespace },
      spec: { size: 1, colour: 'red' },
    } as never);
    vi.stubEnv('GADGET', 'smaller');
    const refused = await deploy('--replicas', '4');
    expect(refused.stderr).toMatch(/spec\.colour/);
    expect(refused.code).toBe(1);
    expect((await test.client.get(Deployment, operator)).spec?.replicas).toBe(2);
    const forced = await deploy('--allow-breaking-crds');
    expect(forced.stderr).toMatch(/because of --allow-breaking-crds[\s\S]*spec\.colour/);
    expect(forced.code).toBe(0);
    vi.unstubAllEnvs();
  });

  it('gives rights only where the operator works, and takes away those that it had elsewhere', async () => {
    const everywhere = async () =>
      (await test.client.find(ClusterRole, { name: 'gadget-operator' }))?.rules?.flatMap(({ resources }) => resources);
    expect(await everywhere()).toContain('configmaps');
    expect(await deploy('--watch-namespace', 'default')).toMatchObject({ code: 0 });
    expect((await everywhere()) ?? []).not.toContain('configmaps');
    expect(await test.client.find(Role, { name: 'gadget-operator', namespace: 'default' })).toBeDefined();
  });

  it('removes what an earlier deployment gave and this one does not, and shows it first', async () => {
    const { client } = test;
    const role = { name: 'gadget-operator', namespace: 'default' };
    const plan = await deploy('--dry-run');
    expect(plan.stdout).toContain('- RoleBinding default/gadget-operator\n- Role default/gadget-operator\n');
    expect(await client.find(Role, role)).toBeDefined();
    // One that somebody has made anew since is his.
    await client.delete(RoleBinding, role);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    await client.create(RoleBinding, { metadata: role, roleRef });
    expect((await deploy()).stdout).toContain('and 1 removed that it had before');
    expect(await client.find(Role, role)).toBeUndefined();
    expect((await client.get(RoleBinding, role)).roleRef.name).toBe('view');
    await client.delete(RoleBinding, role);
  });

  it('leaves a namespace that was there as it was', async () => {
    const { labels = {} } = (await test.client.get(Namespace, { name: test.namespace })).metadata;
    expect(Object.keys(labels).filter((label) => /pod-security|app\.kubernetes\.io/.test(label))).toEqual([]);
  });

  it('rolls out new content under an old name, and nothing where nobody knows of any', async () => {
    const content = await mkdtemp(join(tmpdir(), 'kurator-content-'));
    vi.stubEnv('XDG_CACHE_HOME', join(content, 'cache'));
    const deployed = async () => {
      expect(await deploy()).toMatchObject({ code: 0 });
      return (await test.client.get(Deployment, operator)).spec?.template.metadata?.annotations;
    };
    const built = async (text: string) => {
      const folder = await mkdtemp(join(content, 'files-'));
      await writeFile(join(folder, 'file'), text);
      return (await imageFromFolder(folder, { name: 'gadget-operator:1.2.0' })).digest;
    };
    try {
      for (const text of ['one', 'two']) {
        const digest = await built(text);
        expect(await deployed()).toMatchObject({ 'kurator.sh/image-digest': digest });
      }
      vi.stubEnv('XDG_CACHE_HOME', join(content, 'another'));
      expect((await deploy()).stdout).toContain(': 0 of ');
    } finally {
      vi.unstubAllEnvs();
      await rm(content, { recursive: true, force: true });
    }
  });

  it('runs what a registry has under the name just now', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const server = createServer(({ url }, response) => {
      const isThere = url === '/v2/demo/gadget/manifests/v1';
      if (url?.includes('broken')) return void response.writeHead(500).end();
      response.writeHead(isThere ? 200 : 404, isThere ? { 'docker-content-digest': digest } : {}).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const registry = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const imageOf = async (name: string) => {
      expect(await deploy('--image', `${registry}/demo/${name}`)).toMatchObject({ code: 0 });
      return (await test.client.get(Deployment, operator)).spec?.template.spec?.containers[0]?.image;
    };
    try {
      expect(await imageOf('gadget:v1')).toBe(`${registry}/demo/gadget:v1@${digest}`);
      expect(await imageOf('gadget:v2')).toBe(`${registry}/demo/gadget:v2`);
      const { stderr } = await deploy('--image', `${registry}/demo/broken:v1`);
      expect(stderr).toContain('Not pinned');
      expect(stderr).toContain(`${registry}/demo/broken:v1`);
    } finally {
      server.close();
    }
  });

  it('says that an image is not pinned where its registry is slow to answer, and goes on with its name', async () => {
    const asked: string[] = [];
    const server = createServer(({ url = '' }) => void asked.push(url));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const image = `127.0.0.1:${(server.address() as AddressInfo).port}/demo/gadget:v1`;
      const description = { ...operator, image } as OperatorDescription;
      const said: string[] = [];
      const context = { say: (line: string) => void said.push(line), signal: test.signal };
      expect(await withContent(test.client, description, context, { patience: 500 })).toEqual(description);
      expect(asked).toEqual(['/v2/demo/gadget/manifests/v1']);
      expect(said).toEqual([
        `Not pinned: its registry did not say which content ${image} has (no answer in 0.5 s).`,
        expect.stringContaining('--image NAME@sha256:'),
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('pins what Docker Hub has under a name without a registry, and says so where it has nothing', async () => {
    const digest = `sha256:${'b'.repeat(64)}`;
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      asked.push(url);
      const isThere = url === '/v2/demo/hub-gadget/manifests/v1';
      response.writeHead(isThere ? 200 : 404, isThere ? { 'docker-content-digest': digest } : {}).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const registries = { 'docker.io': { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } };
    const said: string[] = [];
    const context = { say: (line: string) => void said.push(line), signal: test.signal };
    const imageOf = async (image: string) => {
      const description = { ...operator, image } as OperatorDescription;
      return (await withContent(test.client, description, context, { registries })).image;
    };
    try {
      expect(await imageOf('demo/hub-gadget:v1')).toBe(`demo/hub-gadget:v1@${digest}`);
      expect(said).toEqual([]);
      expect(await imageOf('demo/hub-gadget:v2')).toBe('demo/hub-gadget:v2');
      expect(said[0]).toBe('Not pinned: its registry does not have demo/hub-gadget:v2 just now.');
      // Nothing of ours can be there under a name of one part.
      expect(await imageOf('hub-gadget:v1')).toBe('hub-gadget:v1');
      expect(asked).toEqual(['/v2/demo/hub-gadget/manifests/v1', '/v2/demo/hub-gadget/manifests/v2']);
    } finally {
      server.close();
    }
  });

  it('gives optional rights when they are asked for, and no others', async () => {
    expect(await deploy('--watch-namespace', 'default', '--role', 'logs')).toMatchObject({ code: 0 });
    const role = { name: 'gadget-operator', namespace: 'default' };
    const { rules } = await test.client.get(Role, role);
    expect(rules).toContainEqual({ apiGroups: [''], resources: ['pods/log'], verbs: ['get'] });
    const { stderr, code } = await deploy('--role', 'everything');
    expect(stderr).toContain('no optional role "everything"');
    expect(stderr).toContain('give one of logs');
    expect(code).toBe(2);
  });

  it('keeps rights from it that it can do without, and gives them back', async () => {
    const role = { name: 'gadget-operator', namespace: 'default' };
    const verbsOn = async (resource: string) =>
      (await test.client.get(Role, role)).rules
        ?.filter((rule) => rule.resources?.includes(resource))
        .flatMap((rule) => rule.verbs);
    expect(await deploy('--watch-namespace', 'default', '--without-role', 'making')).toMatchObject({ code: 0 });
    expect((await verbsOn('configmaps'))?.toSorted()).toEqual(['get', 'list', 'watch']);
    const { stderr, code } = await deploy('--without-role', 'reading');
    expect(stderr).toContain('give one of making');
    expect(code).toBe(2);
    expect(await deploy('--watch-namespace', 'default')).toMatchObject({ code: 0 });
    expect(await verbsOn('configmaps')).toEqual(expect.arrayContaining(['create', 'patch', 'delete']));
  });

  it('makes a namespace that undeploy leaves where an object of the operator’s own kind is in it', async () => {
    const home = { name: `${test.namespace}-used` };
    const namespace = ['-n', home.name];
    expect(await deploy(...namespace)).toMatchObject({ code: 0 });
    await test.client.create(Gadget, { metadata: { name: 'blue', namespace: home.name }, spec: { size: 1 } } as never);
    const { stdout } = await kurator('undeploy', ...namespace);
    expect(stdout).toContain(`the namespace ${home.name} stays, with Gadget blue.`);
    expect((await test.client.get(Namespace, home)).metadata.deletionTimestamp).toBeUndefined();
    await test.client.delete(Gadget, { name: 'blue', namespace: home.name });
  }, 120_000);

  it('and undeploy delete nothing of somebody else’s that an edited inventory names', async () => {
    const home = { name: `${test.namespace}-edited` };
    const namespace = ['-n', home.name];
    expect(await deploy(...namespace)).toMatchObject({ code: 0 });
    const at = { name: 'somebodys', namespace: home.name };
    const made = [
      await test.client.create(Service, { metadata: at, spec: { ports: [{ port: 80 }] } }),
      await test.client.create(Role, { metadata: at, rules: [] }),
    ];
    const theirs = made.map(({ kind, apiVersion, metadata: { uid } }) => ({ apiVersion, kind, ...at, uid }));
    const reference = { name: 'gadget-operator-inventory', namespace: home.name };
    const edit = async () => {
      const { data } = await test.client.get(ConfigMap, reference);
      const inventory = JSON.parse(data?.['inventory.json'] ?? '') as { items: object[] };
      const text = JSON.stringify({ ...inventory, items: [...inventory.items, ...theirs] });
      await test.client.patch(ConfigMap, reference, { data: { 'inventory.json': text } });
    };
    const areThere = async () => [await test.client.find(Service, at), await test.client.find(Role, at)].map(Boolean);
    await edit();
    expect((await deploy(...namespace, '--dry-run')).stdout).not.toContain('somebodys');
    expect((await deploy(...namespace)).stdout).not.toContain('removed');
    expect(await areThere()).toEqual([true, true]);
    await edit();
    expect(await kurator('undeploy', ...namespace)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('stays'),
    });
    expect(await areThere()).toEqual([true, true]);
  }, 120_000);

  it('says which kind a cluster lacks, before anything is written', async () => {
    const { stderr, code } = await deploy('--service-monitor', '--replicas', '7');
    expect(stderr).toContain("doesn't know ServiceMonitor");
    expect(code).toBe(1);
    expect((await test.client.get(Deployment, operator)).spec?.replicas).toBe(2);
  });
});

describe('kurator undeploy', () => {
  it('takes the operator away with what it made for itself, and leaves its kinds, their objects and what is others’', async () => {
    // As the operator registers itself.
    const labels = { 'app.kubernetes.io/managed-by': 'gadget-operator' };
    await test.client.create(ValidatingWebhookConfiguration, { metadata: { name: 'gadget-operator', labels } });
    await test.client.create(Secret, { metadata: { name: 'somebodys', namespace: test.namespace } });
    expect(await test.client.find(Role, { name: 'gadget-operator', namespace: 'default' })).toBeDefined();
    const { stdout, stderr, code } = await kurator('undeploy');
    expect(stdout).toContain(`the namespace ${test.namespace} stays`);
    expect(stderr).toContain(`${crd.name} stays, with 1 objects`);
    expect(code).toBe(0);
    expect(await test.client.find(Deployment, operator)).toBeUndefined();
    expect(await test.client.find(ValidatingWebhookConfiguration, { name: 'gadget-operator' })).toBeUndefined();
    expect((await test.client.get(Namespace, { name: test.namespace })).metadata.deletionTimestamp).toBeUndefined();
    // Without being told where it worked: the inventory knows.
    expect(await test.client.find(Role, { name: 'gadget-operator', namespace: 'default' })).toBeUndefined();
    const inventory = { name: 'gadget-operator-inventory', namespace: test.namespace };
    expect(await test.client.find(ConfigMap, inventory)).toBeUndefined();
    expect(await test.client.find(Gadget, { name: 'red', namespace: test.namespace })).toBeDefined();
  });

  it('deletes a namespace only if it made that itself', async () => {
    const home = { name: `${test.namespace}-own` };
    const namespace = ['-n', home.name];
    expect(await deploy(...namespace)).toMatchObject({ code: 0 });
    const { metadata } = await test.client.get(Namespace, home);
    expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    expect((await deploy(...namespace)).stdout).toContain(': 0 of ');
    expect((await kurator('undeploy', ...namespace, '--dry-run')).stdout).toContain(`- Namespace ${home.name}`);
    expect(await kurator('undeploy', ...namespace)).toMatchObject({ code: 0 });
    const after = await test.client.find(Namespace, home);
    expect(after === undefined || after.metadata.deletionTimestamp !== undefined).toBe(true);
  });

  it('asks before it takes the kinds, and takes them when told', async () => {
    const refused = await kurator('undeploy', '--crds');
    expect(refused.stderr).toContain(`Delete ${crd.name} with 1 objects, in every namespace of the cluster?`);
    expect(refused.stderr).toContain('give --yes');
    expect(refused.code).not.toBe(0);
    expect(await test.client.find(Gadget, { name: 'red', namespace: test.namespace })).toBeDefined();
    expect(await kurator('undeploy', '--crds', '--yes')).toMatchObject({ code: 0 });
    expect(await test.client.find(CustomResourceDefinition, crd)).toBeUndefined();
  });
});
