import { manifestOf } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import { EtcdCluster } from '../resources.ts';
import { podOf, templateOf } from './member.ts';

const cluster = (spec: object = {}): EtcdCluster =>
  manifestOf(EtcdCluster, {
    metadata: { name: 'shop', namespace: 'web' },
    spec: { version: '3.6.8', ...spec } as never,
  }) as EtcdCluster;
const pod = (spec: object = {}) => podOf(cluster(spec), 'shop-a', { state: 'new', members: ['shop-a'] });
const commandOf = (spec: object = {}) => pod(spec).spec?.containers[0]?.command ?? [];

describe('the pod of a member', () => {
  it('is not restarted for an alarm, and is read from while its database is full', () => {
    const [etcd] = pod().spec?.containers ?? [];
    const query = (path = '') => new URL(path, 'http://member').searchParams;
    expect(query(etcd?.livenessProbe?.httpGet?.path).getAll('exclude')).toEqual(['NOSPACE', 'CORRUPT']);
    expect(query(etcd?.readinessProbe?.httpGet?.path).getAll('exclude')).toEqual(['NOSPACE']);
  });

  it('has what podTemplate says beside, and keeps what the operator goes by', () => {
    const tolerations = [{ key: 'dedicated', operator: 'Exists' }];
    const { metadata, spec } = pod({
      podTemplate: {
        metadata: { labels: { team: 'a', 'etcd.kurator.sh/cluster': 'other' }, annotations: { note: 'b' } },
        spec: { tolerations, priorityClassName: 'high', imagePullSecrets: [{ name: 'registry' }] },
      },
    });
    expect(metadata.labels).toMatchObject({ team: 'a', 'etcd.kurator.sh/cluster': 'shop' });
    expect(metadata.annotations).toMatchObject({ note: 'b' });
    expect(spec).toMatchObject({ tolerations, priorityClassName: 'high', imagePullSecrets: [{ name: 'registry' }] });
    expect(spec?.topologySpreadConstraints).toHaveLength(2);
  });

  it('is made anew for another podTemplate or other etcdOptions', () => {
    const made = [
      {},
      { podTemplate: { spec: { priorityClassName: 'high' } } },
      { etcdOptions: { snapshotCount: 500 } },
    ];
    expect(new Set(made.map((spec) => templateOf(cluster(spec)))).size).toBe(3);
  });

  it('compares its data with the others by the flags of its version', () => {
    expect(commandOf()).toContain('--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true');
    expect(commandOf({ version: '3.5.26' })).toContain('--experimental-compact-hash-check-enabled=true');
    expect(commandOf({ version: '3.5.4' }).join(' ')).not.toContain('compact-hash');
  });

  it('is tuned by etcdOptions', () => {
    const command = commandOf({ etcdOptions: { heartbeatInterval: 200, electionTimeout: 2000, logLevel: 'warn' } });
    for (const flag of ['--heartbeat-interval=200', '--election-timeout=2000', '--log-level=warn']) {
      expect(command).toContain(flag);
    }
  });
});
