/**
 * A Deployment on an API server where nothing runs: the test plays its controller and the kubelet. What the healer sees
 * of it is what it would see of a real one.
 */
import {
  type Client,
  Deployment,
  isAlreadyExists,
  Pod,
  type PodSpec,
  ReplicaSet,
  ServiceAccount,
} from '@kurator/client';

export interface StagedDeployment {
  /** Makes one more instance, which runs and is ready. */
  addPod(): Promise<string>;
  /** Lets an instance crash again and again. */
  crash(pod: string): Promise<void>;
  podNames(): Promise<string[]>;
}

const image = 'web:1';

/** @param more What else its pods are like. */
export async function stageDeployment(
  client: Client,
  namespace: string,
  name: string,
  replicas: number,
  more: Partial<PodSpec> = {},
): Promise<StagedDeployment> {
  await haveAccount(client, namespace);
  const labels = { app: name, 'pod-template-hash': 'one' };
  const spec = { containers: [{ name: 'main', image }], ...more };
  const selector = { matchLabels: { app: name } };
  const annotations = { 'deployment.kubernetes.io/revision': '1' };
  const deployment = await client.create(Deployment, {
    metadata: { name, namespace, annotations },
    spec: { replicas, selector, template: { metadata: { labels: { app: name } }, spec } },
  });
  const set = await client.create(ReplicaSet, {
    metadata: {
      name: `${name}-one`,
      namespace,
      labels,
      annotations,
      ownerReferences: [ownedBy('Deployment', deployment)],
    },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
  const status = { observedGeneration: 1, replicas, updatedReplicas: replicas, readyReplicas: replicas };
  await client.patch(Deployment, deployment.metadata, { status }, { subresource: 'status' });

  const report = async (pod: string, isWell: boolean) => {
    const at = new Date().toISOString();
    const ended = { terminated: { exitCode: 1, reason: 'Error', startedAt: at, finishedAt: at } };
    const state = isWell ? { running: { startedAt: at } } : { waiting: { reason: 'CrashLoopBackOff' } };
    const container = {
      name: 'main',
      image,
      imageID: '',
      ready: isWell,
      started: isWell,
      restartCount: isWell ? 0 : 4,
    };
    const containerStatuses = [{ ...container, state, ...(!isWell && { lastState: ended }) }];
    const conditions = [{ type: 'Ready', status: isWell ? 'True' : 'False', lastTransitionTime: at }];
    const patch = { status: { phase: 'Running', conditions, containerStatuses } };
    await client.patch(Pod, { name: pod, namespace }, patch, { subresource: 'status' });
  };

  const staged: StagedDeployment = {
    async addPod() {
      const { metadata } = await client.create(Pod, {
        metadata: { generateName: `${name}-one-`, namespace, labels, ownerReferences: [ownedBy('ReplicaSet', set)] },
        spec,
      });
      await report(metadata.name, true);
      return metadata.name;
    },
    crash: (pod) => report(pod, false),
    async podNames() {
      const { items } = await client.list(Pod, { namespace, labelSelector: `app=${name}` });
      return items.map(({ metadata }) => metadata.name);
    },
  };
  for (let index = 0; index < replicas; index++) await staged.addPod();
  return staged;
}

function ownedBy(kind: string, { metadata: { name, uid = '' } }: Deployment | ReplicaSet) {
  return { apiVersion: 'apps/v1', kind, name, uid, controller: true };
}

/** Where no controller runs, nobody makes the account that every pod has. */
async function haveAccount(client: Client, namespace: string): Promise<void> {
  try {
    const metadata = { name: 'default', namespace };
    await client.create(ServiceAccount, { metadata, automountServiceAccountToken: false });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
