/**
 * A control plane without nodes, and members of etcd that aren't there: pods are ready at once, and behind all of them one server answers
 * as etcd does. What handles snapshots has done so at once.
 */
import { randomInt } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import {
  type Client,
  isNotFound,
  type KubernetesObject,
  PersistentVolumeClaim,
  Pod,
  type ResourceType,
  Secret,
  ServiceAccount,
} from '@kurator/sdk';
import { grpcServer } from './grpc-server.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedSnapshots } from './simulated-snapshots.ts';

const PORT = 2379;
const MEMBER = 'etcd.kurator.sh/cluster';
const SNAPSHOT_TASK = 'etcd.kurator.sh/snapshot-task';

export interface SimulatedMembers extends AsyncDisposable {
  /** How many questions were answered so far. */
  readonly answered: number;
}

/** Without controllers nobody else makes it, and without it there are no pods. */
export async function furnish(client: Client, namespace: string): Promise<void> {
  await client.create(ServiceAccount, { metadata: { name: 'default', namespace } });
}

export async function simulateMembers(client: Client): Promise<SimulatedMembers> {
  // All pods have the same address: whom a connection is for, it says by the name that it wants to see in the certificate.
  const address = `127.77.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const snapshots = new SimulatedSnapshots();
  /** By namespace and name of the cluster. */
  const databases = new Map<string, SimulatedDatabase>();
  const over = new AbortController();
  let answered = 0;

  const databaseOf = (host: string) => {
    const [, name = '', namespace = ''] = host.split('.');
    const key = `${namespace}/${name}`;
    const database = databases.get(key) ?? new SimulatedDatabase();
    databases.set(key, database);
    return database;
  };
  const server = grpcServer(
    {
      SNICallback: (host, done) => {
        const [member = '', , namespace = ''] = host.split('.');
        const context = client.get(Secret, { name: `${member}-tls`, namespace }).then(({ data = {} }) => {
          const text = (name: string) => Buffer.from(data[name] ?? '', 'base64');
          return createSecureContext({ cert: text('tls.crt'), key: text('tls.key') });
        });
        context.then((made) => done(null, made), done);
      },
    },
    (host, question, fields) => {
      answered += 1;
      return databaseOf(host).ask(host, question, fields);
    },
  );
  await server.listen(PORT, address);

  const onMember = async (pod: Pod) => {
    const { command, image = '' } = pod.spec?.containers[0] ?? {};
    const value = (flag: string) =>
      command?.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3) ?? '';
    const peerUrl = value('initial-advertise-peer-urls');
    const isNew = value('initial-cluster-state') === 'new';
    databaseOf(new URL(peerUrl).hostname).start(peerUrl, image.slice(image.lastIndexOf(':v') + 2), isNew);
    const conditions = [{ type: 'Ready', status: 'True' as const }];
    await report(client, pod, { phase: 'Running', podIP: address, podIPs: [{ ip: address }], conditions });
  };
  const onPod = async (type: string, pod: Pod) => {
    const { name, namespace, labels = {} } = pod.metadata;
    const isTask = labels[SNAPSHOT_TASK] !== undefined;
    if (!isTask && labels[MEMBER] === undefined) return;
    if (type === 'ADDED') await (isTask ? report(client, pod, snapshots.statusOf(pod)) : onMember(pod));
    if (type === 'DELETED' && !isTask) {
      const host = `${name}.${labels[MEMBER]}.${namespace}.svc`;
      databaseOf(host).stop(host);
    }
  };
  const watching = Promise.all([
    follow(client, Pod, over.signal, onPod),
    follow(client, PersistentVolumeClaim, over.signal, async (_, claim) => await letGo(client, claim)),
  ]);
  return {
    get answered() {
      return answered;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await watching;
      server.close();
    },
  };
}

/** From the beginning, and on from where the server has ended a watch. */
async function follow<K extends KubernetesObject>(
  client: Client,
  kind: ResourceType<K>,
  signal: AbortSignal,
  on: (type: string, object: K) => Promise<void>,
): Promise<void> {
  let resourceVersion = '0';
  while (!signal.aborted) {
    try {
      for await (const { type, object } of client.watch(kind, { resourceVersion, signal })) {
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        if (type === 'BOOKMARK') continue;
        await on(type, object as K).catch((error) => {
          // By then it has gone, and there is nothing to say of it any more.
          if (!isNotFound(error)) throw error;
        });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

async function report(client: Client, { metadata }: Pod, status: NonNullable<Pod['status']>): Promise<void> {
  const { name, namespace = '' } = metadata;
  await client.patch(Pod, { name, namespace }, { status } as never, { subresource: 'status' });
}

/** As a controller does once no pod uses it. */
async function letGo(client: Client, { metadata }: PersistentVolumeClaim): Promise<void> {
  const { name, namespace = '', deletionTimestamp, finalizers = [] } = metadata;
  if (!deletionTimestamp || finalizers.length === 0) return;
  await client.patch(PersistentVolumeClaim, { name, namespace }, { metadata: { finalizers: null } } as never);
}
