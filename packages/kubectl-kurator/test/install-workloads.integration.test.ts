// Kurator out of a cluster again, with its CRDs: the workloads that it made must outlive it, with the real garbage collector.

import { runCommandLine } from '@kurator/cli';
import {
  type Client,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  Namespace,
  type PolicyRule,
  Secret,
  Service,
} from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { fakeSession } from '@kurator/command/testing';
import { AlertChannel, healer, Incident, Kurator, KuratorSwitch } from '@kurator/operator-kurator';
import { installCrds } from '@kurator/sdk';
import { type Cluster, eventually, testCluster } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubeconfigAs } from './support/kubeconfig-as.ts';

const namespace = 'shop';
const web = { name: 'web', namespace };
const crd = { name: 'kurators.kurator.sh' };
const patient = { timeout: '90s' } as const;
let cluster: Cluster;
let client: Client;

const kurator = async (...args: string[]) => await kuratorAs(cluster.kubeconfig, ...args);

async function kuratorAs(kubeconfig: string, ...args: string[]) {
  const session = fakeSession();
  await runCommandLine([...args, '--kubeconfig', kubeconfig], session);
  return session.said;
}

/** In the whole cluster. */
async function grant(user: string, rules: PolicyRule[]): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const metadata = { name: `user-${user}` };
  await client.create(ClusterRole, { metadata, rules });
  await client.create(ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup, kind: 'ClusterRole', name: metadata.name },
    subjects: [{ kind: 'User', apiGroup, name: user }],
  });
}

beforeAll(async () => {
  cluster = await testCluster({ nodes: 0, controllers: true });
  client = await cluster.client();
  // In the name of the installation, which takes out only what it made.
  await installCrds(client, [Kurator, Incident, AlertChannel, KuratorSwitch], { fieldManager: 'kurator-deploy' });
  await client.create(Namespace, { metadata: { name: namespace } });
});
afterAll(async () => {
  await client.close();
  await cluster[Symbol.asyncDispose]();
});

/** A service with a Service and a file, as Kurator makes them. */
async function serveWeb(): Promise<Kurator> {
  const running = await healer({ threads: 0, mode: 'On' }).start({ client, http: false, log: 'silent' });
  const service = { image: 'web:1', port: 8080, replicas: 0, config: { 'web.conf': 'a=b' } };
  const made = await client.create(Kurator, { metadata: web, spec: { service } as never });
  await eventually(async () => expect(await client.find(Deployment, web)).toBeDefined(), patient);
  await running.stop();
  return made;
}

/** Goes with its Kurator, as everything that it owns does unless it is let go of. */
async function owned(name: string, { metadata }: Kurator) {
  const owner = { apiVersion: 'kurator.sh/v1alpha1', kind: 'Kurator', name: metadata.name, uid: metadata.uid ?? '' };
  await client.create(Secret, { metadata: { name, namespace, ownerReferences: [owner] } });
  const isCollected = async () => expect(await client.find(Secret, { name, namespace })).toBeUndefined();
  return { untilCollected: async () => await eventually(isCollected, patient) };
}

it('lets the workloads of Kurators run on when their CRDs go, and says so first', { timeout: 240_000 }, async () => {
  // The collector hears of new kinds now and then only: without that, everything would run on.
  const first = await client.create(Kurator, {
    metadata: { name: 'first', namespace },
    spec: { targetRef: { kind: 'Deployment', name: 'first' } } as never,
  });
  const firstSecret = await owned('first', first);
  await client.delete(Kurator, first.metadata);
  await firstSecret.untilCollected();

  const secret = await owned('second', await serveWeb());
  await using jane = await kubeconfigAs(cluster.kubeconfig, { as: 'jane' });
  await grant('jane', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] },
    { apiGroups: ['*'], resources: ['customresourcedefinitions'], verbs: ['*'] },
  ]);
  const refused = await kuratorAs(jane.file, 'uninstall', '--crds', '--yes');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--delete-workloads') });
  expect(await client.find(CustomResourceDefinition, crd)).toBeDefined();

  const doomed = await kurator('uninstall', '--crds', '--delete-workloads', '--dry-run');
  expect(doomed).toMatchObject({ code: 0, stdout: expect.stringContaining('- Deployment shop/web\n') });
  expect(await kurator('uninstall', '--delete-workloads', '--yes')).toMatchObject({ code: 2 });

  const asked = await kurator('uninstall', '--crds');
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('ALL 1 Kurators') });
  expect(asked.stdout).toContain('Deployment shop/web stays as it is');
  expect(await kurator('uninstall', '--crds', '--yes')).toMatchObject({ code: 0 });
  expect(await client.find(CustomResourceDefinition, crd)).toBeUndefined();
  await secret.untilCollected();

  const [config] = (await client.list(ConfigMap, { namespace, labelSelector: 'kurator.sh/kurator=web' })).items;
  const left = [await client.get(Deployment, web), await client.get(Service, web), config];
  for (const one of left) {
    expect(one?.metadata.ownerReferences).toBeUndefined();
    expect(one?.metadata.deletionTimestamp).toBeUndefined();
  }
});
