/** What happens to an etcd cluster when more is lost than it can bear, or when it is full. */
import { EtcdCluster, etcd } from '@kurator/operator-etcd';
import { type Client, conditionOf, installCrds, PersistentVolumeClaim, Pod, Secret, waitFor } from '@kurator/sdk';
import { type Cluster, createCluster } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtcdAccess } from './support/etcd-access.ts';
import { ETCD_REPOSITORY, ETCD_VERSION, loadEtcd } from './support/etcd-image.ts';
import { EtcdTraffic } from './support/etcd-traffic.ts';
import { kubectl } from './support/kubectl.ts';
import { runInCluster } from './support/operator-in-cluster.ts';

let cluster: Cluster;
let client: Client;
let traffic: EtcdTraffic;
const example = { name: 'example', namespace: 'default' };

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-etcd-trouble', nodes: 1 }));
  client = await cluster.client();
  await loadEtcd(cluster, [ETCD_VERSION]);
  await installCrds(client, etcd.resources);
  const entry = 'operators/etcd/src/main.ts';
  await runInCluster(cluster, client, { name: etcd.name, entry, permissions: await etcd.permissions() });
  await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify(manifest));
  await untilRunning();
  const secret = await client.get(Secret, { name: `${example.name}-client-tls`, namespace: 'default' });
  traffic = new EtcdTraffic(secret, async () =>
    (await pods()).flatMap(({ metadata, status }) =>
      metadata.labels?.['etcd.kurator.sh/voter'] && status?.podIP
        ? { address: status.podIP, serverName: `${metadata.name}.${example.name}.default.svc` }
        : [],
    ),
  );
});

afterAll(async () => {
  await traffic?.stop();
  await client?.close();
  await cluster?.down();
});

const manifest = {
  apiVersion: 'etcd.kurator.sh/v1alpha1',
  kind: 'EtcdCluster',
  metadata: { name: example.name },
  spec: {
    size: 3,
    version: ETCD_VERSION,
    repository: ETCD_REPOSITORY,
    storage: { size: '256Mi' },
    replaceAfter: '10s',
    quotaBackendBytes: 16_777_216,
  },
};
const until = (description: string, is: (cluster: EtcdCluster) => boolean) =>
  waitFor(client, EtcdCluster, example, is, { description, timeout: 240_000 });
const untilRunning = () =>
  until('to run with 3 members', ({ status }) => status?.phase === 'Running' && status.size === 3);
const patch = (spec: object) => client.patch(EtcdCluster, example, { spec });
const pods = async () =>
  (await client.list(Pod, { namespace: 'default', labelSelector: 'etcd.kurator.sh/cluster' })).items;
const claimNames = async () =>
  (await client.list(PersistentVolumeClaim, { namespace: 'default' })).items.map(({ metadata }) => metadata.name);

describe('a member whose data is corrupt, as etcd says', () => {
  it('is replaced, its volume is kept, and etcd serves again', async () => {
    await traffic.until(20);
    const { status } = await client.get(EtcdCluster, example);
    const bad = status?.members?.find(({ leader }) => !leader);
    await (await EtcdAccess.to(client, example.name)).raise('CORRUPT', bad?.id ?? '');
    const { status: after } = await until('to run without it', ({ status }) => {
      const names = (status?.members ?? []).map(({ name }) => name);
      return status?.phase === 'Running' && names.length === 3 && !names.includes(bad?.name ?? '');
    });
    expect(after?.members?.every(({ healthy }) => healthy)).toBe(true);
    expect(await claimNames()).toContain(bad?.name);
    const { acknowledged, missing } = await traffic.check();
    expect(missing).toEqual([]);
    await traffic.until(acknowledged + 5);
    await kubectl(cluster, ['delete', 'pvc', bad?.name ?? '']);
  });
});

describe('an etcd cluster that has lost the volumes of two of three members', () => {
  let survivor = '';

  it('is left as it is, and it is said what a person can do', async () => {
    await traffic.until(20);
    await patch({ paused: true });
    const { status } = await client.get(EtcdCluster, example);
    survivor = status?.leader ?? '';
    const victims = (await claimNames()).filter((name) => name !== survivor);
    await traffic.pause();
    await kubectl(cluster, ['delete', 'pvc', '--wait=false', ...victims]);
    await kubectl(cluster, ['delete', 'pod', '--force', '--grace-period=0', ...victims]);
    await waitForClaims([survivor]);
    await patch({ paused: false });
    const lost = await until('to say that quorum is lost for good', ({ status }) =>
      Boolean(conditionOf(status?.conditions, 'QuorumLost')?.message?.includes('spec.quorumLoss')),
    );
    expect(lost.status?.phase).toBe('QuorumLost');
    expect(conditionOf(lost.status?.conditions, 'QuorumLost')).toMatchObject({ status: 'True' });
    for (const victim of victims) expect(lost.status?.step).toContain(victim);
    expect((await pods()).map(({ metadata }) => metadata.name)).toEqual([survivor]);
    expect(await claimNames()).toEqual([survivor]);
  });

  it('goes on from the survivor once that is asked for, with all that it had, and grows to three again', async () => {
    await patch({ quorumLoss: 'Recover' });
    const { status } = await untilRunning();
    expect(status?.recovery).toMatchObject({ stage: 'Done', survivor });
    expect(status?.recovery?.lost).toHaveLength(2);
    expect(status?.members?.map(({ name }) => name)).toContain(survivor);
    expect(await kubectl(cluster, ['describe', 'etcdcluster', example.name])).toMatch(/Recovering.*goes on from/);
    const { acknowledged, missing } = await traffic.check();
    expect(acknowledged).toBeGreaterThanOrEqual(20);
    expect(missing).toEqual([]);
    traffic.resume();
    await traffic.until(acknowledged + 20);
  });

  const waitForClaims = (names: string[]) =>
    expect.poll(async () => await claimNames(), { timeout: 60_000 }).toEqual(names);
});

describe('an etcd cluster whose database is full of what keys were before', () => {
  it('is written to again soon: its history is compacted, its members defragmented, its alarm put out', async () => {
    await traffic.fill({ bytes: 500_000, until: 'mvcc: database space exceeded' });
    const { status } = await until(
      'to have made room',
      ({ status }) => status?.maintenance?.finishedAt !== undefined && status.phase === 'Running',
    );
    expect(status?.maintenance).toMatchObject({ reason: 'NoSpace', compacted: true });
    expect(status?.maintenance?.done).toHaveLength(3);
    for (const { dbSize = 0 } of status?.members ?? []) expect(dbSize).toBeLessThan(16_777_216);
    expect(await traffic.fill({ bytes: 1, until: 'the first' })).toBe(1);
    const { missing } = await traffic.check();
    expect(missing).toEqual([]);
  });
});
