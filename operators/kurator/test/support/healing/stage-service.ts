/**
 * A Deployment as a test wants it, on an API server where nothing runs: its ReplicaSets, its pods, and behind each pod's
 * address a real HTTP server on this machine. The test plays kubelet and controller.
 */
import { createServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { type Client, Deployment, isAlreadyExists, Pod, ReplicaSet, ServiceAccount } from '@kurator/sdk';

let addresses = 0;

/** One instance: a pod, and the server that answers for it. */
export interface StagedPod {
  readonly name: string;
  readonly uid: string;
  /** 200 unless it is told otherwise; 0 never answers. */
  status: number;
  readonly host: string;
  readonly port: number;
}

/** A service on stage. */
export interface StagedService extends AsyncDisposable {
  readonly name: string;
  readonly pods: StagedPod[];
  /** What all of them answer. */
  body: string;
  /** Makes one more pod of the present revision; one that crashes does so again and again, from its first moment. */
  addPod(how?: { crashing?: boolean }): Promise<StagedPod>;
  /** Has the kubelet say how a pod is. */
  report(pod: StagedPod, condition: Condition): Promise<void>;
  /** Those that are still there, by name. */
  podNames(): Promise<string[]>;
  /** Puts a new template in place, as its controller would follow it: no pods are made. */
  deploy(image: string, by?: string): Promise<Deployment>;
  /** Does what its controller would, once: brings pods and status in line with what is wanted by now. */
  follow(): Promise<void>;
}

/** How a pod is, as kubelets say it. */
export type Condition = keyof typeof reports;

/** What is not as usual about a service. */
export interface StageSettings {
  /** What answers for a pod instead of plain HTTP. */
  serve?(pod: StagedPod): Server;
  /** The nodes that the pods are on, in turns; none unless given. */
  readonly nodes?: readonly string[];
  /** The pods are in their nodes' network. */
  readonly hostNetwork?: boolean;
}

/** Sets a service up with so many healthy instances. */
export async function stageService(
  client: Client,
  namespace: string,
  name: string,
  replicas = 3,
  { serve, nodes = [], hostNetwork = false }: StageSettings = {},
): Promise<StagedService> {
  await haveAccount(client, namespace);
  const labels = { app: name };
  const containers = (image: string, port = 8080) => [
    { name: 'main', image, ports: [{ name: 'main', containerPort: port }] },
  ];
  const template = (image: string) => ({ metadata: { labels }, spec: { containers: containers(image) } });
  const made = await client.create(Deployment, {
    metadata: { name, namespace, annotations: { 'deployment.kubernetes.io/revision': '1' } },
    // Nobody is there to roll it: what is restarted is evicted.
    spec: { replicas, strategy: { type: 'Recreate' }, selector: { matchLabels: labels }, template: template('web:1') },
  });
  let revision = 1;
  let hash = 'hash1';
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const pods: StagedPod[] = [];

  const addReplicaSet = async (image: string) => {
    hash = `hash${revision}`;
    const own = { ...labels, 'pod-template-hash': hash };
    return await client.create(ReplicaSet, {
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels: own,
        annotations: { 'deployment.kubernetes.io/revision': String(revision) },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: made.metadata.uid ?? '', controller: true },
        ],
      },
      spec: { selector: { matchLabels: own }, template: { ...template(image), metadata: { labels: own } } },
    });
  };
  let set = await addReplicaSet('web:1');
  let present = 'web:1';
  const sets = new Map([[present, { set, hash }]]);

  const settle = async () => {
    const { metadata, spec } = await client.get(Deployment, { name, namespace });
    const wanted = spec?.replicas ?? replicas;
    const counts = { replicas: wanted, updatedReplicas: wanted, readyReplicas: wanted };
    const status = { observedGeneration: metadata.generation ?? 0, ...counts };
    await client.patch(Deployment, metadata, { status }, { subresource: 'status' });
  };

  /** A template that was there before gets its ReplicaSet back, as the newest revision. */
  const goBackTo = async (image: string) => {
    const known = sets.get(image);
    if (!known) throw new Error(`nobody has deployed ${image}`);
    ({ set, hash } = known);
    present = image;
    const annotations = { 'deployment.kubernetes.io/revision': String(++revision) };
    await client.patch(ReplicaSet, set.metadata, { metadata: { annotations } });
    await client.patch(Deployment, { name, namespace }, { metadata: { annotations } });
    const { items } = await client.list(Pod, { namespace, labelSelector: `app=${name},pod-template-hash!=${hash}` });
    await Promise.all(items.map(({ metadata }) => client.delete(Pod, metadata)));
  };

  const addPod = async ({ crashing = false } = {}): Promise<StagedPod> => {
    const staged = { name: '', uid: '', status: 200, host: '', port: 0 };
    const plain = () =>
      createServer((_request, response) => {
        if (staged.status === 0) return;
        response.writeHead(staged.status).end(service.body);
      });
    const server = (serve ?? plain)(staged);
    server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
    servers.push(server);
    const podIP = `127.77.${Math.floor(addresses / 250)}.${(addresses++ % 250) + 1}`;
    // As in a cluster: the same port, at another address.
    await new Promise<void>((resolve) => server.listen(pods[0]?.port ?? 0, podIP, resolve));
    const { port } = server.address() as AddressInfo;
    const node = nodes[pods.length % Math.max(1, nodes.length)];
    const pod = await client.create(Pod, {
      metadata: {
        generateName: `${name}-${hash}-`,
        namespace,
        labels: { ...labels, 'pod-template-hash': hash },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: set.metadata.name,
            uid: set.metadata.uid ?? '',
            controller: true,
          },
        ],
      },
      spec: { containers: containers('web:1', port), hostNetwork, ...(node && { nodeName: node }) },
    });
    const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], ...reports[crashing ? 'crashed' : 'running']() };
    await client.patch(Pod, pod.metadata, { status }, { subresource: 'status' });
    Object.assign(staged, { name: pod.metadata.name, uid: pod.metadata.uid ?? '', host: podIP, port });
    pods.push(staged);
    return staged;
  };

  const service: StagedService = {
    name,
    pods,
    body: 'well',
    addPod,
    async report({ name: pod }, condition) {
      await client.patch(Pod, { name: pod, namespace }, { status: reports[condition]() }, { subresource: 'status' });
    },
    async podNames() {
      const { items } = await client.list(Pod, { namespace, labelSelector: `app=${name}` });
      return items.map(({ metadata }) => metadata.name);
    },
    async deploy(image, by = 'kubectl') {
      revision++;
      const annotations = { 'deployment.kubernetes.io/revision': String(revision) };
      const patch = { metadata: { annotations }, spec: { template: template(image) } };
      const deployed = await client.patch(Deployment, { name, namespace }, patch, { fieldManager: by });
      set = await addReplicaSet(image);
      present = image;
      sets.set(image, { set, hash });
      await settle();
      return deployed;
    },
    async follow() {
      const { spec } = await client.get(Deployment, { name, namespace });
      const image = spec?.template.spec?.containers[0]?.image ?? '';
      if (image !== present) await goBackTo(image);
      const there = await service.podNames();
      for (let count = there.length; count < (spec?.replicas ?? replicas); count++) await addPod();
      await settle();
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  await settle();
  for (let index = 0; index < replicas; index++) await addPod();

  return service;
}

/** What a kubelet says of a pod whose container runs, and is ready. */
function running() {
  const startedAt = new Date().toISOString();
  const container = { name: 'main', image: 'web:1', imageID: '', ready: true, restartCount: 0, started: true };
  return {
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: startedAt }],
    containerStatuses: [{ ...container, state: { running: { startedAt } } }],
  };
}

/** What a kubelet says of a pod whose container has crashed a few times. */
function crashed() {
  const finishedAt = new Date().toISOString();
  const ended = { terminated: { exitCode: 1, reason: 'Error', startedAt: finishedAt, finishedAt } };
  const waiting = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s' } };
  const container = { name: 'main', image: 'web:1', imageID: '', ready: false, restartCount: 4, started: false };
  return {
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: finishedAt }],
    containerStatuses: [{ ...container, state: waiting, lastState: ended }],
  };
}

/** What a kubelet says of a pod whose container was just killed for its memory. */
function outOfMemory() {
  const finishedAt = new Date().toISOString();
  const ended = { terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: finishedAt, finishedAt } };
  const container = { name: 'main', image: 'web:1', imageID: '', ready: false, restartCount: 0, started: false };
  return {
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: finishedAt }],
    containerStatuses: [{ ...container, state: ended }],
  };
}

const reports = { running, crashed, outOfMemory };

/** Where no controller runs, nobody makes the account that every pod has. */
export async function haveAccount(client: Client, namespace: string): Promise<void> {
  try {
    await client.create(ServiceAccount, {
      metadata: { name: 'default', namespace },
      automountServiceAccountToken: false,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
