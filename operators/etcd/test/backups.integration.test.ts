// The kinds of backups on the real API server: what is wrong is refused, with the field's name and what would be right.
import { type Client, installCrds } from '@kurator/sdk';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtcdBackup, EtcdRestore } from '../src/backups/resources.ts';

let client: Client;
let namespace: string;

beforeAll(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'etcd-backups');
  await installCrds(client, [EtcdBackup, EtcdRestore]);
});
afterAll(async () => await client.close());

const s3 = { bucket: 'backups', credentialsSecret: 'key' };
const volume = { claimName: 'backups' };
const create = async (type: typeof EtcdBackup | typeof EtcdRestore, spec: object) =>
  await client.create(type as never, { metadata: { generateName: 'backup-', namespace }, spec } as never);
const refusalOf = async (request: Promise<unknown>) =>
  await request.then(
    () => expect.unreachable('it was taken'),
    ({ message }: Error) => message,
  );

describe('an EtcdBackup', () => {
  it('is complete with a cluster and a place', async () => {
    expect(await create(EtcdBackup, { cluster: 'orders', storage: { s3 } })).toMatchObject({
      spec: { maxBackups: 7, verify: true, paused: false, storage: { s3: { region: 'us-east-1', prefix: '' } } },
    });
  });

  it.each([
    ['both places', { storage: { s3, volume } }, /spec.storage.*either s3 or volume/],
    ['no place', { storage: {} }, /spec.storage.*either s3 or volume/],
    ['a schedule that is none', { schedule: 'daily' }, /spec.schedule.*minute hour day month weekday/],
    ['an hour that no day has', { schedule: '0 25 * * *' }, /spec.schedule.*minute hour day month weekday/],
    ['none to keep', { maxBackups: 0 }, /spec.maxBackups/],
    ['a path that leads out', { storage: { volume: { ...volume, path: '../other' } } }, /spec.storage.volume.path/],
    ['credentials in an address', { storage: { s3: { ...s3, endpoint: 'https://me:key@host' } } }, /s3.endpoint/],
    ['a bucket that is none', { storage: { s3: { ...s3, bucket: 'a' } } }, /s3.bucket/],
    ['no cluster', { cluster: '' }, /spec.cluster/],
  ])('is refused with %s', async (_, spec, remedy) => {
    expect(await refusalOf(create(EtcdBackup, { cluster: 'orders', storage: { s3 }, ...spec }))).toMatch(remedy);
  });

  it('stays with its cluster and its place', async () => {
    const { metadata } = (await create(EtcdBackup, { cluster: 'orders', storage: { s3 } })) as EtcdBackup;
    const patch = (spec: object) => client.patch(EtcdBackup, { name: metadata.name, namespace }, { spec });
    expect(await refusalOf(patch({ cluster: 'other' }))).toMatch(/spec.cluster/);
    expect(await refusalOf(patch({ storage: { s3: { ...s3, bucket: 'other' } } }))).toMatch(/spec.storage/);
  });
});

describe('an EtcdRestore', () => {
  const cluster = { name: 'restored' };

  it.each([
    ['neither backup nor storage', { source: {} }, /spec.source.*either backup, or storage and key/],
    ['both', { source: { backup: 'nightly', storage: { s3 }, key: 'a' } }, /spec.source.*either backup/],
    ['storage without a key', { source: { storage: { s3 } } }, /spec.source.*give the key/],
    ['a key that leads out', { source: { storage: { s3 }, key: '../a' } }, /spec.source.key/],
    ['no name for the cluster', { cluster: {}, source: { backup: 'nightly' } }, /spec.cluster.name/],
    [
      'a version that nobody knows',
      { cluster: { ...cluster, spec: { version: '2.3.7' } }, source: { backup: 'nightly' } },
      /spec.cluster.spec.version/,
    ],
  ])('is refused with %s', async (_, spec, remedy) => {
    expect(await refusalOf(create(EtcdRestore, { cluster, ...spec }))).toMatch(remedy);
  });
});
