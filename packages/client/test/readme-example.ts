import { ConfigMap, createClient, loadKubeconfig, waitFor } from '@kurator/client';

await using client = createClient(await loadKubeconfig());

const greeting = { name: 'greeting', namespace: 'default' };
await client.apply(ConfigMap, { metadata: greeting, data: { text: 'hello' } }, { fieldManager: 'readme' });

const { items } = await client.list(ConfigMap, { namespace: 'default' });
const settled = await waitFor(client, ConfigMap, greeting, ({ data }) => data?.text === 'hello', { timeout: 5_000 });
process.stdout.write(`${items.length} ConfigMaps, one of which says ${settled.data?.text}\n`);

for await (const event of client.watch(ConfigMap, { namespace: 'default', timeoutSeconds: 3 })) {
  if (event.type !== 'BOOKMARK') process.stdout.write(`${event.type} ${event.object.metadata.name}\n`);
}
