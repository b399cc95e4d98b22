/** About the least that could be called an operator: a ConfigMap `web` has a copy. By its argument it does it wrong. */
import { type Client, ConfigMap, createClient, loadConfig } from '@kurator/client';

const [mode = 'well'] = process.argv.slice(2);
const namespace = process.env.WATCH_NAMESPACE ?? '';
const client: Client = createClient(await loadConfig());

for await (const { type, object } of client.watch(ConfigMap, { namespace })) {
  if (type === 'DELETED' || type === 'BOOKMARK' || object.metadata.name !== 'web') continue;
  if (mode === 'falls-over') {
    process.stderr.write('it has had enough\n');
    process.exit(3);
  }
  if (mode === 'writes-nothing') continue;
  const data = { ...object.data, ...(mode === 'by-chance' && { number: String(Math.random()) }) };
  await client.apply(ConfigMap, { metadata: { name: 'copy', namespace }, data }, { fieldManager: 'copying' });
  const { metadata } = await client.get(ConfigMap, { name: 'web', namespace });
  if (metadata.labels?.copied !== 'yes') {
    await client.patch(ConfigMap, { name: 'web', namespace }, { metadata: { labels: { copied: 'yes' } } });
  }
}
