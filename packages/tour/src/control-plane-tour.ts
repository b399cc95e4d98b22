/** The tour of a control plane alone: what an API server can do without nodes, which is all that many tests need. */
import { ConfigMap, Namespace } from '@kurator/client';
import type { Cluster } from '@kurator/testenv';
import type { Narrator } from './narrator.ts';

const fieldManager = 'kurator-tour';

export async function showControlPlane(cluster: Cluster, narrator: Narrator, signal: AbortSignal): Promise<void> {
  await using client = await cluster.client();
  const { gitVersion } = await client.raw<{ gitVersion: string }>('GET', '/version', { signal });
  narrator.step(`The API server says that it is ${gitVersion}.`);

  const metadata = { name: 'hello', namespace: 'default' };
  await client.apply(
    ConfigMap,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'Hello' } },
    { fieldManager, signal },
  );
  const { data } = await client.get(ConfigMap, metadata, { signal });
  narrator.step(`Made a ConfigMap by server-side apply, and read it back: ${data?.text}`);

  const { items } = await client.list(Namespace, { signal });
  narrator.step('Its namespaces:\n');
  narrator.line(items.map((namespace) => `         ${namespace.metadata.name}`).join('\n'));
  narrator.line('');
  narrator.step('Pods would wait for ever here: they need a node, and a node needs Linux and root.');
}
