/** What the operator itself costs while nothing happens: a hundred clusters of three, whose members are simulated. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EtcdCluster } from '@kurator/operator-etcd';
import { installCrds, Namespace } from '@kurator/sdk';
import { createCluster, eventually } from '@kurator/testenv';
import { ETCD_VERSION } from '../../e2e/support/etcd-image.ts';
import { patiently } from '../../e2e/support/kubectl.ts';
import { isAsWanted } from '../../operators/etcd/test/support/as-wanted.ts';
import { furnish, simulateMembers } from '../../operators/etcd/test/support/simulated-members.ts';
import type { Figure } from '../figures/lines.ts';
import { RunningOperator, Workshop } from './operator.ts';

const CLUSTERS = 100;
const namespace = 'cost';
/** Until what was allocated on the way is given back, and then three looks at each. */
const REST = 10_000;
const MEASURED_SECONDS = 30;
const CREATED = 300_000;

export async function measureCost(): Promise<Figure[]> {
  const { cluster } = await createCluster({ name: `bench-etcd-cost-${process.pid}` });
  await using workshop = new Workshop();
  const client = await cluster.client();
  try {
    await installCrds(client, [EtcdCluster]);
    await client.create(Namespace, { metadata: { name: namespace } });
    await furnish(client, namespace);
    await using members = await simulateMembers(client);
    await using operator = new RunningOperator(await workshop.program(), cluster.kubeconfig, namespace);
    for (let i = 0; i < CLUSTERS; i += 1) {
      const metadata = { name: `etcd-${i}`, namespace };
      await client.create(EtcdCluster, { metadata, spec: { size: 3, version: ETCD_VERSION } } as never);
    }
    await eventually(
      async () => {
        const { items } = await client.list(EtcdCluster, { namespace });
        return items.filter(isAsWanted).length === CLUSTERS;
      },
      { ...patiently, timeout: CREATED },
    ).catch((cause) => {
      throw new Error(`the simulated clusters are not made: ${operator.words.slice(-3000)}`, { cause });
    });
    await delay(REST);
    const [cpu, answered] = [await cpuSeconds(operator.pid), members.answered];
    await delay(MEASURED_SECONDS * 1000);
    const used = (await cpuSeconds(operator.pid)) - cpu;
    const figure = (metric: string, value: number, unit: string) => ({ subject: 'kurator', metric, value, unit });
    return [
      figure('rest_100_clusters_cpu', used / MEASURED_SECONDS, 'cores'),
      figure('rest_100_clusters_rss', await rssMiB(operator.pid), 'MiB'),
      figure('rest_100_clusters_questions', (members.answered - answered) / MEASURED_SECONDS, '/s'),
    ];
  } finally {
    await client.close();
    await cluster.down();
  }
}

const TICKS = 100;

async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in brackets, may hold anything; what is counted comes after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

async function rssMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}
