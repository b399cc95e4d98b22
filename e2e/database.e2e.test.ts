/** A cluster of PostgreSQL: made, grown, its primary lost and replaced, handed over, shrunk, while many connections write to it. */
import { database, PostgresCluster } from '@kurator/operator-database';
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
import { kubectl } from './support/kubectl.ts';
import { runInCluster } from './support/operator-in-cluster.ts';
import { loadPostgres, POSTGRES_REPOSITORY, POSTGRES_VERSION } from './support/postgres-image.ts';
import { PostgresTraffic } from './support/postgres-traffic.ts';

let cluster: Cluster;
let client: Client;
let traffic: PostgresTraffic;
const example = { name: 'example', namespace: 'default' };

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-database', nodes: 3 }));
  client = await cluster.client();
  await loadPostgres(cluster);
  await installCrds(client, database.resources);
  const entry = 'operators/database/src/main.ts';
  await runInCluster(cluster, client, { name: database.name, entry, permissions: await database.permissions() });
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

const manifest = {
  apiVersion: 'database.kurator.sh/v1alpha1',
  kind: 'PostgresCluster',
  metadata: { name: example.name },
  spec: {
    instances: 1,
    version: POSTGRES_VERSION,
    repository: POSTGRES_REPOSITORY,
    storage: { size: '512Mi' },
    parameters: { shared_buffers: '32MB' },
  },
};
const untilRunning = (instances: number, isSo: (cluster: PostgresCluster) => boolean = () => true) =>
  waitFor(
    client,
    PostgresCluster,
    example,
    (seen) => {
      const { status, metadata } = seen;
      const isCurrent = status?.observedGeneration === metadata.generation;
      return isCurrent && status?.phase === 'Running' && status.readyInstances === instances && isSo(seen);
    },
    { description: `to run with ${instances} instances`, timeout: 180_000 },
  );
const labelSelector = `database.kurator.sh/cluster=${example.name}`;
const pods = async () => (await client.list(Pod, { namespace: 'default', labelSelector })).items;
const claimNames = async () =>
  (await client.list(PersistentVolumeClaim, { namespace: 'default', labelSelector })).items
    .map(({ metadata }) => metadata.name)
    .sort();
const scale = (instances: number) =>
  kubectl(cluster, ['scale', 'postgrescluster', 'example', `--replicas=${instances}`]);
const names = (...serials: number[]) => serials.map((serial) => `example-${serial}`);

describe('a cluster of PostgreSQL', () => {
  it('comes up with one instance, and a Secret by which an application reaches it through the Service', async () => {
    expect(await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify(manifest))).toContain('created');
    const { status } = await untilRunning(1);
    expect(status).toMatchObject({ primary: 'example-1', epoch: 1, timeline: 1 });
    expect(conditionOf(status?.conditions, 'Available')).toMatchObject({ status: 'True' });
    const [head, line] = (await kubectl(cluster, ['get', 'postgresclusters'])).trim().split('\n');
    expect(head?.split(/\s+/)).toEqual(['NAME', 'READY', 'PRIMARY', 'VERSION', 'PHASE', 'AGE']);
    expect(line?.split(/\s+/).slice(0, 5)).toEqual(['example', '1/1', 'example-1', POSTGRES_VERSION, 'Running']);
    traffic = await PostgresTraffic.start(client, { secret: 'example-app', writers: 4 });
    await traffic.until(20);
  });

  it('grows to three, each on a node of its own, and commits wait for one of the replicas', async () => {
    await scale(3);
    const { status } = await untilRunning(3);
    expect(status?.synchronous).toBe('ANY 1 ("example-2","example-3")');
    expect(new Set((await pods()).map(({ spec }) => spec?.nodeName)).size).toBe(3);
    expect((await client.get(PodDisruptionBudget, example)).spec?.maxUnavailable).toBe(1);
    expect(await claimNames()).toEqual(names(1, 2, 3));
  });

  it('has another primary when the pod of the primary is deleted, and the old one comes back as a replica', async () => {
    const { primary = '' } = (await client.get(PostgresCluster, example)).status ?? {};
    await kubectl(cluster, ['delete', 'pod', primary, '--wait=false']);
    const { status } = await untilRunning(3, ({ status }) => status?.primary !== primary);
    expect(status?.epoch).toBe(2);
    const roles = Object.fromEntries((status?.instances ?? []).map(({ name, role }) => [name, role]));
    expect(roles[primary]).toBe('Replica');
    await traffic.untilMore(20);
  });

  it('hands over to the instance that is asked for', async () => {
    const { primary } = (await client.get(PostgresCluster, example)).status ?? {};
    const heir = names(1, 2, 3).find((name) => name !== primary) ?? '';
    await kubectl(cluster, ['annotate', 'postgrescluster', 'example', `database.kurator.sh/switchover=${heir}`]);
    const { metadata } = await untilRunning(3, ({ status }) => status?.primary === heir);
    expect(metadata.annotations?.['database.kurator.sh/switchover']).toBeUndefined();
    await traffic.untilMore(20);
  });

  it('shrinks to two, and the volume of the one that leaves goes with it', async () => {
    await scale(2);
    await untilRunning(2);
    await eventually(async () => expect(await claimNames()).toHaveLength(2), { timeout: 60_000 });
    await traffic.untilMore(20);
  });

  it('has lost nothing that it has acknowledged, and told no password', async () => {
    const { acknowledged, missing } = await traffic.check(cluster);
    expect(acknowledged).toBeGreaterThan(100);
    expect(missing).toEqual([]);
    const secrets = await Promise.all(
      ['app', 'superuser', 'internal'].map((name) =>
        client.get(Secret, { name: `example-${name}`, namespace: 'default' }),
      ),
    );
    const words = secrets.flatMap(({ data = {} }) =>
      ['password', 'replication', 'token'].flatMap((key) =>
        data[key] ? Buffer.from(data[key], 'base64').toString() : [],
      ),
    );
    expect(words).toHaveLength(4);
    for (const { metadata } of await pods()) {
      for (const container of ['brain', 'postgres']) {
        const log = await client.logs({ name: metadata.name, namespace: 'default' }, { container });
        for (const word of words) expect(log).not.toContain(word);
      }
    }
  });

  it('goes with everything that it had when it is deleted', async () => {
    await kubectl(cluster, ['delete', 'postgrescluster', 'example']);
    await eventually(async () => expect([await pods(), await claimNames()]).toEqual([[], []]), { timeout: 90_000 });
  });
});
