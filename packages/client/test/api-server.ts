import { randomBytes } from 'node:crypto';
import { type Client, createClient, loadKubeconfig, Namespace, ServiceAccount } from '@kurator/client';

/** A client of the API server that all integration tests share, and a namespace for one test file alone. */
export interface Place extends AsyncDisposable {
  client: Client;
  namespace: string;
}

/** The kubeconfig of that API server: its set-up says by this variable where it is. */
export const kubeconfig = process.env.KURATOR_TEST_KUBECONFIG ?? '';

// By hand rather than by @kurator/testenv, which is built on this package: the tests depend on nothing above it.
export async function place(): Promise<Place> {
  const client = createClient(await loadKubeconfig(kubeconfig));
  const namespace = `client-${randomBytes(4).toString('hex')}`;
  await client.create(Namespace, { metadata: { name: namespace } });
  // No controller manager runs here to make it, and pods are refused without it.
  await client.create(ServiceAccount, { metadata: { name: 'default', namespace } });
  return { client, namespace, [Symbol.asyncDispose]: () => client.close() };
}
