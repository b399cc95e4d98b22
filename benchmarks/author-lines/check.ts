/**
 * What every MyApp operator here must do, whoever's SDK it stands on. It looks at the cluster of `$KUBECONFIG`, in which
 * one of them runs and its definition is installed; a control plane alone will do (`kurator cluster up --nodes 0`):
 *
 *     node --conditions=source benchmarks/author-lines/check.ts
 */
import {
  type Client,
  createClient,
  Deployment,
  loadConfig,
  Namespace,
  Pod,
  resourceType,
  ServiceAccount,
  waitFor,
} from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import type { CustomObject } from '@kurator/schema';

type MyApp = CustomObject<{ replicas?: number; image: string }, { readyReplicas: number }>;
const MyApp = resourceType<MyApp>('example.com/v1alpha1', 'MyApp');

const wait = { timeout: 30_000 };
const { namespace, key } = nameAnew();

function nameAnew() {
  const namespace = `check-${Date.now().toString(36)}`;
  return { namespace, key: { name: 'web', namespace } };
}

const readyOf = ({ status }: MyApp) => status?.conditions?.find(({ type }) => type === 'Ready');

const checks: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'prints NAME, AGE, REPLICAS, IMAGE': async (client) => {
    const { spec } = await client.get(CustomResourceDefinition, { name: 'myapps.example.com' });
    // In any order: fabric8's generator sorts them by path.
    const names = spec.versions[0]?.additionalPrinterColumns?.map(({ name }) => name).sort();
    if (names?.join() !== 'Age,Image,Replicas') throw new Error(`columns are ${names}`);
  },
  'refuses negative replicas': (client) => refused(client, { replicas: -1, image: 'web:1' }),
  'refuses an empty image': (client) => refused(client, { replicas: 1, image: '' }),
  'refuses no image': (client) => refused(client, { replicas: 1 } as MyApp['spec']),
  'makes an owned Deployment': async (client) => {
    await client.create(MyApp, { metadata: key, spec: { replicas: 3, image: 'web:1' } });
    const owned = ({ metadata }: Deployment) => metadata.ownerReferences?.[0]?.kind === 'MyApp';
    await waitFor(client, Deployment, key, owned, wait);
  },
  'says how far it is': (client) =>
    waitFor(client, MyApp, key, (app) => readyOf(app)?.message?.startsWith('0 of 3') === true, wait),
  'keeps it in step': async (client) => {
    await client.patch(MyApp, key, { spec: { replicas: 5, image: 'web:2' } });
    await waitFor(client, Deployment, key, isFive, wait);
  },
  'puts back what was changed': async (client) => {
    await client.patch(Deployment, key, { spec: { replicas: 1 } });
    await waitFor(client, Deployment, key, isFive, wait);
  },
  'puts back what was deleted': async (client) => {
    const { metadata } = await client.get(Deployment, key);
    await client.delete(Deployment, key);
    await waitFor(client, Deployment, key, (made) => made.metadata.uid !== metadata.uid && isFive(made), wait);
  },
  'tells a broken rollout': async (client) => {
    const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
    await addPod(client, { state: { waiting } });
    await waitFor(client, MyApp, key, (app) => readyOf(app)?.reason === 'ImagePullBackOff', wait);
    await client.delete(Pod, { name: 'web-0', namespace }, { gracePeriodSeconds: 0 });
  },
  'is Ready when all replicas are': async (client) => {
    const { generation } = (await client.get(Deployment, key)).metadata;
    const counts = { replicas: 5, readyReplicas: 5, updatedReplicas: 5 };
    const status = { observedGeneration: generation ?? 0, ...counts };
    await client.patch(Deployment, key, { status }, { subresource: 'status' });
    const isReady = (app: MyApp) => app.status?.readyReplicas === 5 && readyOf(app)?.status === 'True';
    const { metadata, status: told } = await waitFor(client, MyApp, key, isReady, wait);
    if (told?.observedGeneration !== metadata.generation) throw new Error('observedGeneration lags behind');
  },
};

const isFive = ({ spec }: Deployment) => spec?.replicas === 5 && spec.template.spec?.containers[0]?.image === 'web:2';

async function refused(client: Client, spec: MyApp['spec']) {
  const made = await client.create(MyApp, { metadata: { name: 'bad', namespace }, spec }).catch(() => undefined);
  if (made) throw new Error('it was stored');
}

/** Nothing runs here: what a kubelet would say, we say. */
async function addPod(client: Client, container: object) {
  const pod = { name: 'web-0', namespace };
  await client.create(ServiceAccount, { metadata: { name: 'default', namespace } });
  const containers = [{ name: 'app', image: 'web:2' }];
  const labels = { 'example.com/myapp': key.name };
  await client.create(Pod, { metadata: { ...pod, labels }, spec: { containers, automountServiceAccountToken: false } });
  const containerStatuses = [{ name: 'app', image: 'web:2', imageID: '', ready: false, restartCount: 0, ...container }];
  await client.patch(Pod, pod, { status: { containerStatuses } }, { subresource: 'status' });
}

const client = createClient(await loadConfig());
try {
  await client.create(Namespace, { metadata: { name: namespace } });
  for (const [name, check] of Object.entries(checks)) {
    const failure = await check(client).then(
      () => undefined,
      (error: Error) => error,
    );
    console.log(failure ? `FAILED ${name}: ${failure.message}` : `ok     ${name}`);
    if (failure) process.exitCode = 1;
  }
} finally {
  await client.delete(MyApp, key).catch(() => undefined);
  await client.delete(Namespace, { name: namespace }).catch(() => undefined);
  await client.close();
}
