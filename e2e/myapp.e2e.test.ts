/**
 * The MyApp operator as its users meet it: in the cluster, as two replicas with no rights but those that it says it needs,
 * making real pods of real images. One story, told in order.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MyApp, myapp } from '@kurator/operator-myapp';
import { type Client, conditionOf, Deployment, installCrds, Lease, Pod, waitFor } from '@kurator/sdk';
import { busyboxImage, type Cluster, createCluster, eventually, imageFromFolder } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectl, patiently } from './support/kubectl.ts';
import { runInCluster } from './support/operator-in-cluster.ts';

let cluster: Cluster;
let client: Client;
const app = { name: 'myapp-sample', namespace: 'default' };

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-myapp', nodes: 2 }));
  client = await cluster.client();
  for (const version of ['1', '2']) await cluster.load(await appImage(`myapp:${version}`));
  await installCrds(client, [MyApp]);
  await runInCluster(cluster, client, {
    name: myapp.name,
    entry: 'operators/myapp/src/main.ts',
    permissions: await myapp.permissions(),
    replicas: 2,
  });
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

/** An image that runs by itself, as MyApp expects it. */
async function appImage(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-e2e-'));
  try {
    const config = { name, entrypoint: ['sh', '-c', 'trap "exit 0" TERM; sleep 100000 & wait'] };
    return (await imageFromFolder(folder, config, { from: await busyboxImage() })).path;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const manifest = (replicas: number, image: string) => `
apiVersion: example.com/v1alpha1
kind: MyApp
metadata: { name: ${app.name} }
spec: { replicas: ${replicas}, image: '${image}' }
`;
const apply = (replicas: number, image: string) => kubectl(cluster, ['apply', '-f', '-'], manifest(replicas, image));

const untilReady = (readyReplicas: number) =>
  waitFor(
    client,
    MyApp,
    app,
    ({ status, metadata }) =>
      status?.readyReplicas === readyReplicas &&
      status.observedGeneration === metadata.generation &&
      conditionOf(status.conditions, 'Ready')?.status === 'True',
    { description: `to be Ready with ${readyReplicas}` },
  );

async function runningImages(): Promise<string[]> {
  const { items } = await client.list(Pod, { namespace: 'default', labelSelector: 'example.com/myapp' });
  const running = items.filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Running');
  return running.map(({ spec }) => spec?.containers[0]?.image ?? '').sort();
}

describe('MyApp', () => {
  it('is made with three replicas, which run', async () => {
    expect(await apply(3, 'myapp:1')).toBe('myapp.example.com/myapp-sample created\n');
    await untilReady(3);
    expect(await runningImages()).toEqual(['myapp:1', 'myapp:1', 'myapp:1']);
  });

  it('is shown by kubectl with its age, replicas and image', async () => {
    const [head, line] = (await kubectl(cluster, ['get', 'myapp'])).trim().split('\n');
    expect(head?.split(/\s+/)).toEqual(['NAME', 'AGE', 'REPLICAS', 'IMAGE']);
    expect(line?.split(/\s+/)).toEqual(['myapp-sample', expect.stringMatching(/^\d+s$|^\d+m/), '3', 'myapp:1']);
  });

  it('is scaled to five', async () => {
    expect(await apply(5, 'myapp:1')).toBe('myapp.example.com/myapp-sample configured\n');
    await untilReady(5);
    expect(await runningImages()).toHaveLength(5);
  });

  it('gets another image, pod by pod', async () => {
    await apply(5, 'myapp:2');
    await untilReady(5);
    await eventually(async () => expect(new Set(await runningImages())).toEqual(new Set(['myapp:2'])), patiently);
  });

  it('says so when an image is broken, and goes on serving with the old one', async () => {
    await apply(5, 'myapp:broken');
    const isTold = ({ status }: { status?: { conditions?: { type: string; status: string; reason?: string }[] } }) => {
      const ready = conditionOf(status?.conditions, 'Ready');
      return ready?.status === 'False' && ready.reason === 'ImagePullBackOff';
    };
    const { status } = await waitFor(client, MyApp, app, isTold, { description: 'to tell of the image' });
    expect(conditionOf(status?.conditions, 'Ready')?.message).toContain("image myapp:broken can't be pulled");
    expect(new Set(await runningImages())).toEqual(new Set(['myapp:2']));
    await apply(5, 'myapp:2');
    await untilReady(5);
  });

  it('has its Deployment back when somebody deletes or changes it', async () => {
    const { metadata } = await client.get(Deployment, app);
    await kubectl(cluster, ['delete', 'deployment', app.name]);
    await waitFor(client, Deployment, app, (made) => made.metadata.uid !== metadata.uid);
    await untilReady(5);
    await kubectl(cluster, ['scale', 'deployment', app.name, '--replicas=1']);
    await waitFor(client, Deployment, app, ({ spec, status }) => spec?.replicas === 5 && status?.readyReplicas === 5);
    await untilReady(5);
  });

  it('goes on when the leader among the replicas is killed', async () => {
    const lease = { name: myapp.name, namespace: myapp.name };
    const { spec: { holderIdentity: leader = '' } = {} } = await client.get(Lease, lease);
    const [pod = ''] = leader.split('_');
    await client.delete(Pod, { name: pod, namespace: myapp.name }, { gracePeriodSeconds: 0 });
    const isAnother = ({ spec }: Lease) => Boolean(spec?.holderIdentity) && spec?.holderIdentity !== leader;
    await waitFor(client, Lease, lease, isAnother, { description: 'to have another holder' });
    await apply(2, 'myapp:2');
    await untilReady(2);
  });

  it('takes everything with it when it is deleted', async () => {
    const deleted = await kubectl(cluster, ['delete', 'myapp', app.name]);
    expect(deleted).toMatch(/^myapp\.example\.com "myapp-sample" deleted/);
    await eventually(async () => {
      const { items } = await client.list(Deployment, { namespace: 'default' });
      expect(items).toEqual([]);
      expect((await client.list(Pod, { namespace: 'default' })).items).toEqual([]);
    }, patiently);
  });
});
