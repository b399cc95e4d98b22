/** Plays the Deployment controller and the kubelet for a Deployment that the healer makes: follows its template. */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, Deployment, type ObjectReference, Pod, ReplicaSet } from '@kurator/sdk';
import { haveAccount } from './stage-service.ts';

/** The ReplicaSets of one Deployment. */
export interface StagedReplicaSet extends AsyncDisposable {
  /** The revision that is wanted, as pods are labelled with it. */
  readonly revision: string;
  /** Makes the pods what the template says: the old ones go, new ones come. */
  follow(how?: { crashing?: boolean }): Promise<void>;
}

let addresses = 0;

export async function stageReplicaSet(client: Client, reference: ObjectReference): Promise<StagedReplicaSet> {
  const { name, namespace = '' } = reference;
  await haveAccount(client, namespace);
  const servers: Server[] = [];
  let number = 0;
  let revision = '';

  const replicaSet = async ({ metadata, spec }: Deployment): Promise<ReplicaSet> => {
    const template = spec?.template;
    revision = createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10);
    const labels = { ...template?.metadata?.labels, 'pod-template-hash': revision };
    const annotations = { 'deployment.kubernetes.io/revision': String(++number) };
    const known = await client.find(ReplicaSet, { name: `${name}-${revision}`, namespace });
    if (known) return await client.patch(ReplicaSet, known.metadata, { metadata: { annotations } });
    return await client.create(ReplicaSet, {
      metadata: {
        name: `${name}-${revision}`,
        namespace,
        labels,
        annotations,
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: metadata.uid ?? '', controller: true },
        ],
      },
      spec: {
        selector: { matchLabels: labels },
        template: { ...template, metadata: { ...template?.metadata, labels } },
      },
    });
  };

  const makePod = async (set: ReplicaSet, crashing: boolean) => {
    const server = createServer((_request, response) => response.end('well'));
    servers.push(server);
    const podIP = `127.78.${Math.floor(addresses / 250)}.${(addresses++ % 250) + 1}`;
    await new Promise<void>((resolve) => server.listen(0, podIP, resolve));
    const { port } = server.address() as AddressInfo;
    const { spec, metadata } = set.spec?.template ?? {};
    const [first, ...others] = spec?.containers ?? [];
    if (!first) throw new Error('a template without containers');
    const containers = [{ ...first, ports: [{ name: 'main', containerPort: port }] }, ...others];
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: set.metadata.name, uid: set.metadata.uid ?? '' };
    const pod = await client.create(Pod, {
      metadata: {
        ...metadata,
        generateName: `${set.metadata.name}-`,
        namespace,
        ownerReferences: [{ ...owner, controller: true }],
      },
      spec: { ...spec, containers },
    });
    const at = new Date().toISOString();
    const ended = { terminated: { exitCode: 1, reason: 'Error', startedAt: at, finishedAt: at } };
    const state = crashing ? { waiting: { reason: 'CrashLoopBackOff' } } : { running: { startedAt: at } };
    const container = { name: first.name, image: first.image ?? '', imageID: '', ready: !crashing, started: !crashing };
    const status = {
      phase: 'Running',
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: [{ type: 'Ready', status: crashing ? 'False' : 'True', lastTransitionTime: at }],
      containerStatuses: [
        { ...container, restartCount: crashing ? 4 : 0, state, ...(crashing && { lastState: ended }) },
      ],
    };
    await client.patch(Pod, pod.metadata, { status }, { subresource: 'status' });
  };

  return {
    get revision() {
      return revision;
    },
    async follow({ crashing = false } = {}) {
      const deployment = await client.get(Deployment, reference);
      const set = await replicaSet(deployment);
      const replicas = deployment.spec?.replicas ?? 1;
      const { items } = await client.list(Pod, { namespace, labelSelector: `kurator.sh/kurator=${name}` });
      for (let index = 0; index < replicas; index++) await makePod(set, crashing);
      for (const { metadata } of items) await client.delete(Pod, metadata, { gracePeriodSeconds: 0 });
      const annotations = { 'deployment.kubernetes.io/revision': String(number) };
      const { metadata } = await client.patch(Deployment, reference, { metadata: { annotations } });
      const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas };
      const status = { observedGeneration: metadata.generation ?? 0, ...counts };
      await client.patch(Deployment, reference, { status }, { subresource: 'status' });
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
