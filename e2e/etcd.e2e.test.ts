/**
 * An etcd cluster as the book tells it: made, a member lost and replaced, grown, shrunk, upgraded, its data and its configuration backed up
 * and restored, while somebody reads and writes. In a namespace where Pod Security is enforced as restricted.
 */
import { EtcdBackup, EtcdCluster, EtcdRestore, etcd } from '@kurator/operator-etcd';
import {
  type Client,
  conditionOf,
  installCrds,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Secret,
  waitFor,
} from '@kurator/sdk';
import { type Cluster, createCluster, eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtcdAccess } from './support/etcd-access.ts';
import { ETCD_NEXT_VERSION, ETCD_REPOSITORY, ETCD_VERSION, loadEtcd } from './support/etcd-image.ts';
import { EtcdTraffic } from './support/etcd-traffic.ts';
import { kubectl, patiently } from './support/kubectl.ts';
import { runInCluster } from './support/operator-in-cluster.ts';

let cluster: Cluster;
let client: Client;
let traffic: EtcdTraffic;
const example = { name: 'example-etcd-cluster', namespace: 'default' };

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-etcd', nodes: 3 }));
  client = await cluster.client();
  await kubectl(cluster, ['label', 'namespace', 'default', 'pod-security.kubernetes.io/enforce=restricted']);
  await loadEtcd(cluster, [ETCD_VERSION, ETCD_NEXT_VERSION]);
  await installCrds(client, etcd.resources);
  const entry = 'operators/etcd/src/main.ts';
  await runInCluster(cluster, client, { name: etcd.name, entry, permissions: await etcd.permissions() });
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
  spec: { size: 3, version: ETCD_VERSION, repository: ETCD_REPOSITORY, storage: { size: '256Mi' } },
};
const untilRunning = (size: number, version = ETCD_VERSION) =>
  waitFor(
    client,
    EtcdCluster,
    example,
    ({ spec, status, metadata }) =>
      status?.phase === 'Running' &&
      status.size === size &&
      spec.version === version &&
      status.observedGeneration === metadata.generation,
    { description: `to run with ${size} members`, timeout: 180_000 },
  );
const pods = async () =>
  (await client.list(Pod, { namespace: 'default', labelSelector: `etcd.kurator.sh/cluster=${example.name}` })).items;
const podNames = async () =>
  (await pods()).filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
const claimNames = async () =>
  (
    await client.list(PersistentVolumeClaim, {
      namespace: 'default',
      labelSelector: `etcd.kurator.sh/cluster=${example.name}`,
    })
  ).items
    .map(({ metadata }) => metadata.name)
    .sort();

describe('an etcd cluster', () => {
  it('comes up with three members under names of ten letters, on volumes, spread over the nodes', async () => {
    expect(await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify(manifest))).toContain('created');
    const { status } = await untilRunning(3);
    const names = await podNames();
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^example-etcd-cluster-[a-z0-9]{10}$/);
    expect(await claimNames()).toEqual(names.toSorted());
    expect(new Set((await pods()).map(({ spec }) => spec?.nodeName)).size).toBe(3);
    expect(status?.members?.filter(({ leader }) => leader)).toHaveLength(1);
    expect(conditionOf(status?.conditions, 'Ready')).toMatchObject({ status: 'True' });
    expect((await client.get(PodDisruptionBudget, example)).spec?.minAvailable).toBe(2);
    const [head, line] = (await kubectl(cluster, ['get', 'etcdclusters'])).trim().split('\n');
    expect(head?.split(/\s+/)).toEqual(['NAME', 'READY', 'VERSION', 'PHASE', 'AGE']);
    expect(line?.split(/\s+/).slice(0, 4)).toEqual([example.name, '3/3', ETCD_VERSION, 'Running']);
    expect(await kubectl(cluster, ['describe', 'etcdcluster', example.name])).toContain('MemberPromoted');
  });

  it('is written to and read from with the certificate that it made for clients, and by nobody else', async () => {
    const secret = await client.get(Secret, { name: `${example.name}-client-tls`, namespace: 'default' });
    traffic = new EtcdTraffic(secret, async () =>
      (await pods()).flatMap(({ metadata, status }) =>
        metadata.labels?.['etcd.kurator.sh/voter'] && status?.podIP
          ? { address: status.podIP, serverName: `${metadata.name}.${example.name}.default.svc` }
          : [],
      ),
    );
    await traffic.until(20);
    await expect(traffic.asStranger()).rejects.toThrow();
  });

  it('replaces a member whose pod is deleted by a new one with a new name, and goes on meanwhile', async () => {
    const before = await podNames();
    const [victim = ''] = before;
    await kubectl(cluster, ['delete', 'pod', victim]);
    await eventually(async () => {
      const names = await podNames();
      expect(names).toHaveLength(3);
      expect(names).not.toContain(victim);
    }, patiently);
    const { status } = await untilRunning(3);
    expect(status?.members?.map(({ name }) => name).toSorted()).toEqual((await podNames()).toSorted());
    // The data of one that left goes with it, and nothing else's.
    await eventually(async () => expect(await claimNames()).toEqual((await podNames()).toSorted()), patiently);
  });

  it('grows to five and shrinks to three by kubectl scale', async () => {
    await kubectl(cluster, ['scale', 'etcdcluster', example.name, '--replicas=5']);
    await untilRunning(5);
    expect(await podNames()).toHaveLength(5);
    await kubectl(cluster, ['scale', 'etcdcluster', example.name, '--replicas=3']);
    await untilRunning(3);
    await eventually(async () => expect(await claimNames()).toEqual((await podNames()).toSorted()), patiently);
  });

  it('is upgraded one member after the other, on the same volumes, the leader last', async () => {
    const before = await claimNames();
    await kubectl(cluster, [
      'patch',
      'etcdcluster',
      example.name,
      '--type=merge',
      '-p',
      `{"spec":{"version":"${ETCD_NEXT_VERSION}"}}`,
    ]);
    await untilRunning(3, ETCD_NEXT_VERSION);
    expect(await claimNames()).toEqual(before);
    for (const { spec } of await pods())
      expect(spec?.containers[0]?.image).toBe(`${ETCD_REPOSITORY}:v${ETCD_NEXT_VERSION}`);
  });

  it('comes back on its own data when all of its pods are gone', async () => {
    const before = await podNames();
    const pause = (paused: boolean) => client.patch(EtcdCluster, example, { spec: { paused } });
    // Who sees them go one after the other replaces the first: here nobody looks until all of them are gone.
    await pause(true);
    await kubectl(cluster, ['delete', 'pod', '--force', '--grace-period=0', ...before]);
    await pause(false);
    await eventually(async () => expect((await podNames()).toSorted()).toEqual(before.toSorted()), {
      ...patiently,
      timeout: 60_000,
    });
    await untilRunning(3, ETCD_NEXT_VERSION);
  });

  it('has lost nothing that it has acknowledged', async () => {
    const { acknowledged, missing } = await traffic.check();
    expect(acknowledged).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('is backed up, its data and its configuration, and comes back as another cluster of three', async () => {
    const namespace = 'default';
    const lines = [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'backups' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '256Mi' } } },
      },
      {
        apiVersion: 'etcd.kurator.sh/v1alpha1',
        kind: 'EtcdBackup',
        metadata: { name: 'tonight' },
        spec: { cluster: example.name, storage: { volume: { claimName: 'backups', path: 'etcd' } } },
      },
    ];
    await (await EtcdAccess.to(client, example.name)).put('greeting', 'hello');
    await kubectl(cluster, ['apply', '-f', '-'], lines.map((line) => JSON.stringify(line)).join('\n'));
    const until = (type: typeof EtcdBackup | typeof EtcdRestore, name: string) =>
      waitFor(client, type as typeof EtcdBackup, { name, namespace }, ({ status }) => status?.phase === 'Succeeded', {
        description: 'to have succeeded',
        timeout: 180_000,
      });
    const { status } = await until(EtcdBackup, 'tonight');
    expect(status?.backups?.[0]?.verifiedAt).toBeDefined();
    await (await EtcdAccess.to(client, example.name)).put('greeting', 'good-bye');
    const again = {
      apiVersion: 'etcd.kurator.sh/v1alpha1',
      kind: 'EtcdRestore',
      metadata: { name: 'again' },
      spec: { cluster: { name: 'again' }, source: { backup: 'tonight' } },
    };
    await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify(again));
    await until(EtcdRestore as never, 'again');
    const restored = await client.get(EtcdCluster, { name: 'again', namespace });
    const { spec } = await client.get(EtcdCluster, example);
    expect(restored.spec).toMatchObject({ ...spec, bootstrap: expect.anything() });
    expect(restored.status).toMatchObject({ ready: '3/3', currentVersion: ETCD_NEXT_VERSION });
    expect(await (await EtcdAccess.to(client, 'again')).get('greeting')).toBe('hello');
    expect(await (await EtcdAccess.to(client, example.name)).get('greeting')).toBe('good-bye');
  });

  it('refuses what would hurt it, with the field and the way out', async () => {
    const patch = (spec: object) =>
      kubectl(cluster, ['patch', 'etcdcluster', example.name, '--type=merge', '-p', JSON.stringify({ spec })]);
    await expect(patch({ version: '3.5.9' })).rejects.toThrow(/spec.version.*never goes back/);
    await expect(patch({ storage: { size: '128Mi' } })).rejects.toThrow(/spec.storage.size.*can't shrink/);
    await expect(patch({ size: 0 })).rejects.toThrow(/spec.size/);
    await expect(patch({ version: '2.3.7' })).rejects.toThrow(/spec.version/);
  });

  it('goes with everything that it had when it is deleted', async () => {
    await traffic.stop();
    await kubectl(cluster, ['delete', 'etcdcluster', example.name]);
    await eventually(async () => expect([await podNames(), await claimNames()]).toEqual([[], []]), {
      ...patiently,
      timeout: 60_000,
    });
  });
});
