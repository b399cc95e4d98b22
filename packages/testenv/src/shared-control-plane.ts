/**
 * One control plane for a whole test run: a hundred test files share it, each in namespaces of its own. Made for a
 * test runner's global set-up; works with any runner whose workers inherit the environment.
 */
import { randomBytes } from 'node:crypto';
import { type Client, createClient, loadKubeconfig, Namespace } from '@kurator/client';
import { createCluster } from './cluster/create-cluster.ts';
import { TestenvError } from './error.ts';

const variable = 'KURATOR_TEST_KUBECONFIG';

/** Starts it; the function that comes back takes it down. Vitest: `export { startSharedControlPlane as default }`. */
export async function startSharedControlPlane(): Promise<() => Promise<void>> {
  const { cluster } = await createCluster({ name: `shared-${process.pid}` });
  process.env[variable] = cluster.kubeconfig;
  return async () => {
    delete process.env[variable];
    await cluster.down();
  };
}

/** A new client of the shared control plane, as administrator; close it when done. */
export async function sharedClient(): Promise<Client> {
  const kubeconfig = process.env[variable];
  if (kubeconfig) return createClient(await loadKubeconfig(kubeconfig));
  throw new TestenvError('KUR_TESTENV_NO_SHARED_CLUSTER', 'there is no shared control plane in this test run', {
    remedy: "call startSharedControlPlane() in the test runner's global set-up",
  });
}

/** A namespace that nobody else has. It is not deleted: it goes with the control plane. */
export async function testNamespace(client: Client, prefix = 'test'): Promise<string> {
  const name = `${prefix}-${randomBytes(4).toString('hex')}`;
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}
