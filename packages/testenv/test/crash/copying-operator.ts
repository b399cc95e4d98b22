/** About the least that could be called an operator: a ConfigMap `web` has a copy. By its argument it does it wrong. */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ConfigMap, createClient, loadConfig } from '@kurator/client';

const [mode = 'well'] = process.argv.slice(2);
const namespace = process.env.WATCH_NAMESPACE ?? '';
const client: Client = createClient(await loadConfig());

/** One that has work to do before its first write; what it finds of an earlier process it spoils. */
async function warmUp(): Promise<void> {
  const isAgain = (await client.find(ConfigMap, { name: 'copy', namespace })) !== undefined;
  if (mode === 'spoils-late') await delay(isAgain ? 1000 : 3000);
  for (let reads = 0; isAgain && mode === 'spoils-after-reading' && reads < 10; reads++) {
    await delay(100);
    await client.get(ConfigMap, { name: 'web', namespace });
  }
  if (isAgain) await client.patch(ConfigMap, { name: 'copy', namespace }, { data: { spoilt: 'yes' } });
}
let isWarm = false;

for await (const { type, object } of client.watch(ConfigMap, { namespace })) {
  if (type === 'DELETED' || type === 'BOOKMARK' || object.metadata.name !== 'web') continue;
  if (mode === 'falls-over') {
    process.stderr.write('it has had enough\n');
    process.exit(3);
  }
  if (mode === 'writes-nothing') continue;
  if (mode.startsWith('spoils') && !isWarm) await warmUp();
  isWarm = true;
  const data = { ...object.data, ...(mode === 'by-chance' && { number: String(Math.random()) }) };
  const name = mode === 'names-by-chance' ? `copy${randomLetters()}` : 'copy';
  await client.apply(ConfigMap, { metadata: { name, namespace }, data }, { fieldManager: 'copying' });
  if (process.env.NOTES) {
    await delay(50);
    appendFileSync(process.env.NOTES, `${namespace} ${process.pid}\n`);
  }
  const { metadata } = await client.get(ConfigMap, { name: 'web', namespace });
  if (metadata.labels?.copied !== 'yes') {
    await client.patch(ConfigMap, { name: 'web', namespace }, { metadata: { labels: { copied: 'yes' } } });
  }
}

function randomLetters(): string {
  return Array.from({ length: 7 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('');
}
