/** What Prometheus reads of etcd clusters: gauges from the statuses in the cache, at the moment of a scrape, and what this process has done. */
import { type AuthorContext, conditionOf, type MetricFamily, type Sample } from '@kurator/sdk';
import { EtcdCluster } from './resources.ts';

/** One gauge: its name after `kurator_etcd_`, its labels beside namespace and cluster, and what it is of a cluster. */
interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  valuesOf(cluster: EtcdCluster): readonly (readonly [value: number, ...labels: string[]])[];
}

type Status = NonNullable<EtcdCluster['status']>;
const one = (name: string, help: string, value: (cluster: EtcdCluster, status: Status) => number): Gauge => ({
  name,
  help,
  labels: [],
  valuesOf: (cluster) => (cluster.status ? [[value(cluster, cluster.status)]] : []),
});
const isIn =
  (...phases: readonly string[]) =>
  (_: EtcdCluster, { phase }: Status) =>
    Number(phases.includes(phase ?? ''));

const gauges: readonly Gauge[] = [
  one('members_wanted', 'Members that are declared.', ({ spec }) => spec.size),
  one('members_voting', "Members that vote, by etcd's own list.", (_, { size = 0 }) => size),
  one(
    'members_healthy',
    'Members that answer and know a leader.',
    (_, { members = [] }) => members.filter(({ healthy }) => healthy).length,
  ),
  one('quorum_lost', '1 while a cluster that has data has no quorum.', isIn('QuorumLost')),
  one('degraded', '1 while members are missing, or a person is called.', isIn('Degraded', 'QuorumLost')),
  one('paused', '1 while nothing is done.', ({ spec }) => Number(spec.paused)),
  one('authority_rotating', '1 while one authority follows another.', (_, { conditions }) =>
    Number(conditionOf(conditions, 'CertificatesReady')?.reason === 'Rotating'),
  ),
  one('quota_bytes', 'How large the database may become.', ({ spec }) => spec.quotaBackendBytes),
  {
    name: 'database_bytes',
    help: 'How large the database of a member is, in whole mebibytes.',
    labels: ['member'],
    valuesOf: ({ status }) =>
      (status?.members ?? []).flatMap(({ name, dbSize }) => (dbSize === undefined ? [] : [[dbSize, name] as const])),
  },
];

/** What there is, for those who write rules; and what labels it has. */
export const metricNames: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...gauges.map(({ name, labels }) => [`kurator_etcd_${name}`, ['namespace', 'cluster', ...labels]] as const),
  ['kurator_etcd_steps_total', ['step']],
]);

/** Of one running operator. */
export class EtcdMetrics {
  readonly #steps = new Map<string, number>();
  #lookup: Pick<AuthorContext, 'list'> | undefined;

  /** Where clusters are read from: known as soon as one is looked after. */
  reads(lookup: Pick<AuthorContext, 'list'>): void {
    this.#lookup = lookup;
  }

  /** Waiting is no step. */
  done(step: string): void {
    if (step === 'wait' || step === 'nothing') return;
    this.#steps.set(step, (this.#steps.get(step) ?? 0) + 1);
  }

  families(): readonly MetricFamily[] {
    const clusters = () => this.#lookup?.list(EtcdCluster) ?? [];
    const steps = () => Array.from(this.#steps, ([step, value]): Sample => ({ labels: { step }, value }));
    return [
      ...gauges.map(
        (gauge): MetricFamily => ({
          name: `kurator_etcd_${gauge.name}`,
          help: gauge.help,
          type: 'gauge',
          samples: () => clusters().flatMap((cluster) => samplesOf(gauge, cluster)),
        }),
      ),
      { name: 'kurator_etcd_steps_total', help: 'Steps taken, by what was done.', type: 'counter', samples: steps },
    ];
  }
}

function samplesOf({ labels, valuesOf }: Gauge, cluster: EtcdCluster): Sample[] {
  const { name, namespace = '' } = cluster.metadata;
  return valuesOf(cluster).map(([value, ...own]) => ({
    labels: { namespace, cluster: name, ...Object.fromEntries(labels.map((label, i) => [label, own[i] ?? ''])) },
    value,
  }));
}
