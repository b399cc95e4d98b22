/** What Prometheus is told of backups, as it is at the moment when it asks. */
import { conditionOf, type MetricFamily, type Sample } from '@kurator/sdk';
import type { EtcdBackup } from './resources.ts';

const PREFIX = 'kurator_etcd_backup_';
const LABELS = ['namespace', 'name', 'cluster'];
/** What there is, for those who write rules; and what labels it has. */
export const backupMetricNames: ReadonlyMap<string, readonly string[]> = new Map(
  ['ready', 'failures', 'verified_timestamp_seconds', 'kept'].map((name) => [`${PREFIX}${name}`, LABELS]),
);

/** An alert that says a backup is too old, or none works, needs no more than these. */
export function backupMetrics(backups: () => readonly EtcdBackup[]): MetricFamily[] {
  const gauge = (name: string, help: string, measure: (backup: EtcdBackup) => number | undefined): MetricFamily => ({
    name: `${PREFIX}${name}`,
    help,
    type: 'gauge',
    *samples(): Iterable<Sample> {
      for (const backup of backups()) {
        const { name, namespace = '' } = backup.metadata;
        const value = measure(backup);
        if (value !== undefined) yield { labels: { namespace, name, cluster: backup.spec.cluster }, value };
      }
    },
  });
  return [
    gauge('ready', 'Whether the last backup that was tried counts; absent before the first.', ({ status }) => {
      const ready = conditionOf(status?.conditions, 'BackupReady')?.status;
      return ready === 'True' ? 1 : ready === 'False' ? 0 : undefined;
    }),
    gauge('failures', 'How many backups failed since the last one that counts.', ({ status }) => status?.failures ?? 0),
    gauge(
      'verified_timestamp_seconds',
      'When the newest backup that was restored and compared was taken.',
      ({ status }) => {
        const proven = status?.backups?.findLast(({ verifiedAt }) => verifiedAt);
        return proven && Date.parse(proven.takenAt) / 1000;
      },
    ),
    gauge('kept', 'How many backups there are that count.', ({ status }) => status?.backups?.length ?? 0),
  ];
}
