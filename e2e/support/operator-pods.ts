/** The pods of an operator that was deployed: who leads, and how fast they start. */
import { type Client, Lease, Pod, waitFor } from '@kurator/client';
import type { Cluster } from '@kurator/testenv';
import { kubectl } from './kubectl.ts';

/** Its Deployment, after which its Lease is called too. */
export interface DeployedOperator {
  readonly name: string;
  readonly namespace: string;
}

/** Those that are not about to go. */
export async function podsOf(client: Client, { namespace }: DeployedOperator): Promise<Pod[]> {
  const { items } = await client.list(Pod, { namespace });
  return items.filter(({ metadata }) => !metadata.deletionTimestamp);
}

/** The name of the pod that leads, as soon as one does. */
export async function leaderOf(client: Client, operator: DeployedOperator): Promise<string> {
  const isHeld = ({ spec }: Lease) => Boolean(spec?.holderIdentity);
  const { spec } = await waitFor(client, Lease, operator, isHeld, { description: 'to be held' });
  return (spec?.holderIdentity ?? '').split('_')[0] ?? '';
}

/** Of the newest pod: from the start of its process to the moment when it says that everything is up, in seconds. */
export async function coldStart(cluster: Cluster, client: Client, operator: DeployedOperator): Promise<number> {
  const { namespace } = operator;
  const byAge = (a: Pod, b: Pod) =>
    String(a.metadata.creationTimestamp).localeCompare(String(b.metadata.creationTimestamp));
  const pod = (await podsOf(client, operator)).sort(byAge).at(-1)?.metadata.name ?? '';
  const program = `
    const { readFileSync } = require('node:fs');
    const boot = Number(/btime (\\d+)/.exec(readFileSync('/proc/stat', 'utf8'))[1]);
    const ticks = Number(readFileSync('/proc/1/stat', 'utf8').replace(/.*\\) /, '').split(' ')[19]);
    console.log(boot + ticks / 100);`;
  const started = Number(
    await kubectl(cluster, ['exec', '-n', namespace, pod, '--', '/usr/local/bin/node', '-e', program]),
  );
  const log = await client.logs({ name: pod, namespace });
  const line = log.split('\n').find((each) => each.includes('everything is up'));
  if (!line) throw new Error(`${pod} is not up yet:\n${log}`);
  return Date.parse((JSON.parse(line) as { time: string }).time) / 1000 - started;
}
