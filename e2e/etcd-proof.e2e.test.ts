/** One etcd cluster under etcd's own judge, while a follower is killed and the leader's pod is deleted. */
import { EtcdCluster, etcd } from '@kurator/operator-etcd';
import { type Client, installCrds, Pod, waitFor } from '@kurator/sdk';
import { type Cluster, createCluster } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ETCD_REPOSITORY, ETCD_VERSION, loadEtcd } from './support/etcd-image.ts';
import { Judge } from './support/etcd-judge.ts';
import { runInCluster } from './support/operator-in-cluster.ts';

let cluster: Cluster;
let client: Client;
const place = { name: 'judged', namespace: 'default' };

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-etcd-proof', nodes: 3 }));
  client = await cluster.client();
  await loadEtcd(cluster, [ETCD_VERSION]);
  await installCrds(client, etcd.resources);
  const entry = 'operators/etcd/src/main.ts';
  await runInCluster(cluster, client, { name: etcd.name, entry, permissions: await etcd.permissions() });
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

const untilRunning = (also: (cluster: EtcdCluster) => boolean = () => true) =>
  waitFor(
    client,
    EtcdCluster,
    place,
    (etcd) =>
      etcd.status?.phase === 'Running' &&
      (etcd.status.members ?? []).length === 3 &&
      (etcd.status.members ?? []).every(({ healthy }) => healthy) &&
      also(etcd),
    { description: 'to run', timeout: 180_000 },
  );

describe('an etcd cluster under the eyes of etcd’s own validator', () => {
  it('keeps every promise while a follower is killed and the leader’s pod is deleted', async () => {
    const spec = { version: ETCD_VERSION, repository: ETCD_REPOSITORY, storage: { size: '256Mi' } };
    await client.create(EtcdCluster, { metadata: place, spec } as never);
    const { status } = await untilRunning();
    await using judge = await Judge.begin(client, place);
    const follower = (status?.members ?? []).find(({ name }) => name !== status?.leader)?.name ?? '';
    await cluster.faults.kill({ pod: follower });
    // Deleted while the follower comes back: only one of three is left, until it has.
    const { leader = '' } = (await untilRunning()).status ?? {};
    await client.delete(Pod, { name: leader, namespace: place.namespace });
    await untilRunning(({ status }) => (status?.members ?? []).every(({ name }) => name !== leader));
    await judge.end();
    const verdict = await judge.verdict();
    expect(verdict).toMatchObject({ violation: '', lost: 0 });
    expect(verdict.trouble).toBeUndefined();
    expect(verdict.acknowledged).toBeGreaterThan(50);
  });
});
