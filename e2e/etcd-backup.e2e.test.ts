/** Backups of a real etcd, into a bucket: proved by a scratch member, restored into new clusters, refused where they are damaged. */

import { createHash } from 'node:crypto';
import { createS3Store, type ObjectStore } from '@kurator/object-store';
import { EtcdBackup, EtcdCluster, EtcdRestore, etcd } from '@kurator/operator-etcd';
import { type Client, conditionOf, installCrds, Secret, waitFor } from '@kurator/sdk';
import { type Cluster, createCluster, eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtcdAccess } from './support/etcd-access.ts';
import { ETCD_REPOSITORY, ETCD_VERSION, loadEtcd } from './support/etcd-image.ts';
import { kubectl, patiently } from './support/kubectl.ts';
import { runInCluster } from './support/operator-in-cluster.ts';
import { BUCKET, credentials, startBucket } from './support/s3-pod.ts';

let cluster: Cluster;
let client: Client;
let store: ObjectStore;
const namespace = 'default';
const spec = { size: 1, version: ETCD_VERSION, repository: ETCD_REPOSITORY, storage: { size: '256Mi' } } as const;
const s3 = {
  endpoint: 'http://bucket.default.svc:9000',
  bucket: BUCKET,
  prefix: 'etcd',
  credentialsSecret: 'bucket-key',
};

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-etcd-backup', nodes: 1 }));
  client = await cluster.client();
  await Promise.all([
    loadEtcd(cluster),
    installCrds(client, etcd.resources),
    startBucket(cluster, client).then((endpoint) => {
      store = createS3Store({ endpoint, bucket: BUCKET, credentials });
    }),
  ]);
  await client.create(Secret, { metadata: { name: 'bucket-key', namespace }, stringData: credentials });
  const entry = 'operators/etcd/src/main.ts';
  await runInCluster(cluster, client, { name: etcd.name, entry, permissions: await etcd.permissions() });
  await make('EtcdCluster', 'orders', spec);
  await untilRunning('orders');
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  await client?.close();
  await cluster?.down();
});

const untilRunning = (name: string) =>
  waitFor(client, EtcdCluster, { name, namespace }, ({ status }) => status?.phase === 'Running', {
    description: 'to run',
    timeout: 120_000,
  });
const untilBackup = (name: string, isGood: (backup: EtcdBackup) => boolean, description: string) =>
  waitFor(client, EtcdBackup, { name, namespace }, isGood, { description, timeout: 60_000 });
const untilRestore = (name: string, phase: string) =>
  waitFor(client, EtcdRestore, { name, namespace }, ({ status }) => status?.phase === phase, {
    description: `to be ${phase}`,
    timeout: 90_000,
  });
/** As people do it, who leave out what has a default. */
const make = (kind: string, name: string, spec: object) =>
  kubectl(
    cluster,
    ['create', '-f', '-'],
    JSON.stringify({ apiVersion: 'etcd.kurator.sh/v1alpha1', kind, metadata: { name, namespace }, spec }),
  );
const restore = (name: string, source: object, given: object = { name }) =>
  make('EtcdRestore', name, { cluster: given, source });

describe('backups of etcd', () => {
  it('counts once it was restored and its hash was that of the cluster, and the cluster it was of is written beside it', async () => {
    const orders = await EtcdAccess.to(client, 'orders');
    await orders.put('order/1', 'paid');
    await make('EtcdBackup', 'once', { cluster: 'orders', storage: { s3 } });
    const { status } = await untilBackup('once', ({ status }) => status?.phase === 'Succeeded', 'to be taken');
    const [backup] = status?.backups ?? [];
    expect(backup?.verifiedAt).toBeDefined();
    expect(conditionOf(status?.conditions, 'BackupReady')).toMatchObject({ status: 'True' });
    const live = await orders.hash(backup?.revision ?? 0);
    expect(backup?.hash).toBe(live);
    const manifest = JSON.parse((await (await store.get(`etcd/${backup?.key}.json`)).bytes()).toString());
    expect(manifest).toMatchObject({ revision: backup?.revision, hash: live, cluster: { spec: { size: 1 } } });
    const listed = await kubectl(cluster, ['get', 'etcdbackups', 'once', '-o', 'yaml']);
    expect(listed).not.toContain(credentials.secretAccessKey);
  });

  it('comes back as a new cluster, with the data and the configuration of that time', async () => {
    const orders = await EtcdAccess.to(client, 'orders');
    await orders.put('order/1', 'cancelled');
    await restore('orders-as-before', { backup: 'once' });
    const { status } = await untilRestore('orders-as-before', 'Succeeded');
    const made = await EtcdAccess.to(client, 'orders-as-before');
    expect(await made.get('order/1')).toBe('paid');
    expect(await made.hash(status?.checked?.revision ?? 0)).toBe(status?.checked?.hash);
    expect(await orders.get('order/1')).toBe('cancelled');
    await made.put('order/2', 'new');
    const { spec: given } = await client.get(EtcdCluster, { name: 'orders-as-before', namespace });
    expect(given).toMatchObject({ size: 1, version: ETCD_VERSION, storage: { size: '256Mi' } });
  });

  it('refuses what is cut off, damaged, foreign, or not there, and makes nothing of it', async () => {
    const { status } = await client.get(EtcdBackup, { name: 'once', namespace });
    const key = `etcd/${status?.backups?.[0]?.key}`;
    const snapshot = await (await store.get(`${key}.db`)).bytes();
    const manifest = await (await store.get(`${key}.json`)).bytes();
    const letter = Buffer.from('Dear etcd');
    const about = { size: letter.length, sha256: createHash('sha256').update(letter).digest('hex') };
    const damaged = Buffer.from(snapshot);
    damaged.writeUInt8(damaged.readUInt8(9000) ^ 1, 9000);
    await Promise.all(
      [
        store.put('etcd/cut.db', snapshot.subarray(0, -4096)),
        store.put('etcd/cut.json', manifest),
        store.put('etcd/damaged.db', damaged),
        store.put('etcd/damaged.json', manifest),
        store.put('etcd/letter.db', letter),
        store.put('etcd/letter.json', Buffer.from(JSON.stringify({ ...JSON.parse(manifest.toString()), ...about }))),
        store.put('etcd/bare.db', snapshot),
      ].map(async (put) => await put),
    );
    const cases = {
      cut: /cut off/,
      damaged: /digest|damaged/,
      letter: /another file/,
      bare: /there is no etcd\/bare.json/,
      nowhere: /there is no etcd\/nowhere.json/,
    };
    for (const name of Object.keys(cases)) await restore(name, { storage: { s3 }, key: name }, { name, spec });
    for (const [name, why] of Object.entries(cases)) {
      expect((await untilRestore(name, 'Refused')).status?.why).toMatch(why);
    }
    const clusters = (await client.list(EtcdCluster, { namespace })).items.map(({ metadata }) => metadata.name);
    expect(clusters.toSorted()).toEqual(['orders', 'orders-as-before']);
    await restore('over', { backup: 'once' }, { name: 'orders' });
    expect((await untilRestore('over', 'Refused')).status?.why).toMatch(/only new ones/);
  });

  it('keeps as many as are wanted, and deletes nothing that it has not written', async () => {
    await make('EtcdBackup', 'hourly', { cluster: 'orders', schedule: '0 * * * *', maxBackups: 1, storage: { s3 } });
    // As if an hour had passed since the last one: only onto a status that the operator does not write just then.
    const nextHour = (than: string | undefined) =>
      eventually(
        async () => {
          const { status, metadata } = await client.get(EtcdBackup, { name: 'hourly', namespace });
          if (status?.lastBackup !== than) return status;
          if (status?.run) return false;
          const lastStarted = new Date(Date.now() - 3_600_000).toISOString();
          const { resourceVersion } = metadata;
          const patch = { metadata: { resourceVersion }, status: { lastStarted } } as never;
          await client.patch(EtcdBackup, { name: 'hourly', namespace }, patch, { subresource: 'status' });
          return false;
        },
        { ...patiently, timeout: 60_000 },
      );
    const first = await nextHour(undefined);
    await store.put('etcd/default/orders/hourly/mine.db', Buffer.from('of somebody else'));
    const second = await nextHour(first?.lastBackup);
    expect(second?.backups?.map(({ key }) => key)).toEqual([second?.lastBackup]);
    const pages = await Array.fromAsync(store.list('etcd/default/orders/hourly/'));
    const keys = pages.flatMap(({ objects }) => objects.map(({ key }) => key));
    const kept = ['.db', '.json'].map((ending) => `etcd/${second?.lastBackup}${ending}`);
    expect(keys).toEqual([...kept, 'etcd/default/orders/hourly/mine.db'].toSorted());
  });

  it('says that it does not count when it fails, and why, without a secret', async () => {
    await make('EtcdBackup', 'lost', { cluster: 'orders', storage: { s3: { ...s3, bucket: 'nowhere' } } });
    const { status } = await untilBackup('lost', ({ status }) => (status?.failures ?? 0) > 0, 'to fail');
    expect(conditionOf(status?.conditions, 'BackupReady')).toMatchObject({ status: 'False', reason: 'BackupFailed' });
    expect(status?.lastFailure?.why).toMatch(/nowhere/);
    const told = await kubectl(cluster, ['describe', 'etcdbackup', 'lost']);
    expect(told).toContain('BackupFailed');
    expect(told).not.toContain(credentials.secretAccessKey);
  });
});
