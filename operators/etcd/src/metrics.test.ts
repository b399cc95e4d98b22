// What Prometheus reads, and that what deploy/monitoring-etcd asks it for is there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestOf } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { backupMetricNames, backupMetrics } from './backups/metrics.ts';
import { EtcdMetrics, metricNames } from './metrics.ts';
import { EtcdCluster } from './resources.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'deploy', 'monitoring-etcd');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

function shop(status?: EtcdCluster['status']): EtcdCluster {
  const metadata = { name: 'shop', namespace: 'web' };
  return {
    ...(manifestOf(EtcdCluster, { metadata, spec: { version: '3.6.8' } }) as EtcdCluster),
    ...(status ? { status } : {}),
  };
}

function scrape(clusters: readonly EtcdCluster[], metrics = new EtcdMetrics()): Record<string, number> {
  metrics.reads({ list: () => clusters as never });
  const lines = metrics
    .families()
    .flatMap(({ name, samples }) =>
      Array.from(samples(), ({ labels, value }) => [`${name} ${Object.values(labels).join(' ')}`, value] as const),
    );
  return Object.fromEntries(lines);
}

describe('what Prometheus reads of etcd clusters', () => {
  it('is what their statuses say', () => {
    const members = [
      { name: 'shop-a', state: 'Member', healthy: true, dbSize: 1_048_576 },
      { name: 'shop-b', state: 'Member', healthy: false },
    ] as const;
    const said = scrape([shop({ phase: 'Degraded', size: 3, members: [...members] })]);
    expect(said).toMatchObject({
      'kurator_etcd_members_wanted web shop': 3,
      'kurator_etcd_members_voting web shop': 3,
      'kurator_etcd_members_healthy web shop': 1,
      'kurator_etcd_degraded web shop': 1,
      'kurator_etcd_quorum_lost web shop': 0,
      'kurator_etcd_database_bytes web shop shop-a': 1_048_576,
    });
  });

  it('is nothing of a cluster that has no status yet', () => {
    expect(scrape([shop()])).toEqual({});
  });

  it('counts the steps that were taken', () => {
    const metrics = new EtcdMetrics();
    metrics.done('add');
    metrics.done('add');
    expect(scrape([], metrics)).toEqual({ 'kurator_etcd_steps_total add': 2 });
  });

  it('has the labels that it says', () => {
    expect([...metricNames.keys()]).toEqual(new EtcdMetrics().families().map(({ name }) => name));
  });
});

describe('what Prometheus reads of backups', () => {
  it('has the names that rules go by', () => {
    expect([...backupMetricNames.keys()]).toEqual(backupMetrics(() => []).map(({ name }) => name));
  });
});

describe('deploy/monitoring-etcd', () => {
  const { groups } = parse(read('prometheus-rules.yaml')) as {
    groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
  };
  const rules = groups.flatMap(({ rules }) => rules);
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as {
    panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
  };
  const allNames = new Map([...metricNames, ...backupMetricNames]);
  const queries = [
    ...rules.map(({ alert, expr, annotations }) => [alert, expr, Object.values(annotations).join(' ')] as const),
    ...panels.flatMap(({ title, targets }) => targets.map((one) => [title, one.expr, one.legendFormat] as const)),
  ];

  it.each(queries)('asks for what is there: %s', (_, query, text) => {
    const metrics = query.match(/kurator_\w+/g) ?? [];
    expect(metrics).not.toEqual([]);
    const known = metrics.flatMap((name) => allNames.get(name) ?? expect.unreachable(`${name} is not there`));
    const asked = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
    const chosen = [...query.matchAll(/[{,] ?(\w+)=/g)].map(([, label = '']) => label);
    const told = [...text.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)].map(([, label = '']) => label);
    for (const label of [...asked, ...chosen, ...told]) expect(known).toContain(label);
  });

  it('shows every metric', () => {
    const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join(' ');
    for (const name of metricNames.keys()) expect(shown).toContain(name);
  });
});
