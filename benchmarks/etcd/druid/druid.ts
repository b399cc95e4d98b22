/** etcd-druid as a process of this machine, as Kurator's operator is, and clusters of three in its care: with TLS, without backups. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, issueLeaf, leafData } from '@kurator/pki';
import { type Client, conditionOf, Namespace, Pod, Secret } from '@kurator/sdk';
import { type Cluster, eventually, imageFromFolder } from '@kurator/testenv';
import type { Habits } from '../../../e2e/support/etcd-judge.ts';
import { kubectl } from '../../../e2e/support/kubectl.ts';
import type { DruidPrograms } from './programs.ts';

const DAY = 86_400_000;
/** The user of its pods. */
const NOBODY = 65_532;
const PATIENCE = { timeout: 300_000, interval: 250 };
const WRAPPER = 'druid.test/etcd-wrapper:bench';
const SIDECAR = 'druid.test/etcdbrctl:bench';

interface Place {
  readonly name: string;
  readonly namespace: string;
}

const labelsOf = (name: string) => `app.kubernetes.io/part-of=${name},app.kubernetes.io/name=${name}`;
const isReady = ({ status }: Pod) => conditionOf(status?.conditions, 'Ready')?.status === 'True';

/** Its clients are led to pods that are ready, by a Service. */
export const druidsHabits: Habits = {
  selector: labelsOf,
  isServing: isReady,
  serverName: ({ metadata }, { name, namespace }) => `${metadata.name}.${name}-peer.${namespace}.svc`,
  dataOf: (words, _, { name }) =>
    /(^|\/)etcd-wrapper$/.test(words[0] ?? '') && words.includes(`--etcd-server-name=${name}-local`)
      ? '/var/etcd/data/new.etcd'
      : undefined,
};

/** The operator: all namespaces are its own. */
export class RunningDruid implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  #words = '';

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#words = (this.#words + text).slice(-20_000);
      });
    }
  }

  static async start(cluster: Cluster, programs: DruidPrograms): Promise<RunningDruid> {
    for (const file of programs.crds) await kubectl(cluster, ['apply', '--server-side', '-f', file]);
    const folder = await mkdtemp(join(tmpdir(), 'kurator-bench-druid-'));
    await loadImage(cluster, folder, programs.path('etcd-wrapper'), 'etcd-wrapper', WRAPPER);
    await loadImage(cluster, folder, programs.path('etcdbrctl'), 'etcdbrctl', SIDECAR);
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify(configuration));
    const child = spawn(programs.path('etcd-druid'), [`--config=${config}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
    });
    return new RunningDruid(child, folder);
  }

  /** Its last words. */
  get words(): string {
    return this.#words;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGKILL');
      await gone;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** As its chart has it, but that it sees to a changed spec by itself, and runs etcd 3.5. */
const configuration = {
  apiVersion: 'config.druid.gardener.cloud/v1alpha1',
  kind: 'OperatorConfiguration',
  clientConnection: { qps: 100, burst: 150 },
  leaderElection: { enabled: false },
  server: {
    metrics: { bindAddress: '127.0.0.1', port: randomInt(20_000, 30_000) },
    webhooks: { bindAddress: '127.0.0.1', port: randomInt(30_001, 32_000) },
  },
  controllers: {
    etcd: { concurrentSyncs: 3, enableEtcdSpecAutoReconcile: true, etcdStatusSyncPeriod: '15s' },
    compaction: { enabled: true, concurrentSyncs: 3, eventsThreshold: 1_000_000 },
    etcdCopyBackupsTask: { enabled: true, concurrentSyncs: 3 },
    secret: { concurrentSyncs: 10 },
    etcdOpsTask: { concurrentSyncs: 3, requeueInterval: '15s' },
  },
  featureGates: { UpgradeEtcdVersion: true },
};

/** A program alone, with the folders that its own image would have from its base. */
async function loadImage(cluster: Cluster, folder: string, program: string, name: string, image: string) {
  const content = join(folder, `image-${name}`);
  for (const path of ['home/nonroot', 'tmp']) await mkdir(join(content, path), { recursive: true });
  await copyFile(program, join(content, name));
  await chmod(join(content, name), 0o755);
  const config = { name: image, entrypoint: [`/${name}`], env: { HOME: '/home/nonroot' } };
  const { path } = await imageFromFolder(content, config, { owner: { uid: NOBODY, gid: NOBODY } });
  await cluster.load(path);
}

/** One cluster of its. */
export class DruidSubject {
  readonly place: Place;
  readonly #client: Client;
  readonly #cluster: Cluster;

  private constructor(client: Client, cluster: Cluster, place: Place) {
    this.#client = client;
    this.#cluster = cluster;
    this.place = place;
  }

  /** Asks for one; does not wait for it. */
  static async open(client: Client, cluster: Cluster, name: string): Promise<DruidSubject> {
    const place = { name, namespace: name };
    await client.create(Namespace, { metadata: { name } });
    await client.create(Secret, {
      metadata: { name: `${name}-client-tls`, namespace: name },
      data: certificate(place),
    });
    const subject = new DruidSubject(client, cluster, place);
    await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify(subject.#manifest()));
    return subject;
  }

  async untilRunning(isOther: (pod: Pod) => boolean = () => true): Promise<void> {
    await eventually(async () => {
      const pods = await this.pods();
      return pods.length === 3 && pods.every((pod) => isReady(pod) && isOther(pod));
    }, PATIENCE);
  }

  /** One that does not lead. */
  async follower(): Promise<Pod> {
    return await eventually(async () => {
      const { status } = JSON.parse(
        await kubectl(this.#cluster, ['get', 'etcd', this.place.name, '-n', this.place.namespace, '-o', 'json']),
      ) as { status?: { members?: { name: string; role?: string }[] } };
      const name = status?.members?.find(({ role }) => role === 'Member')?.name;
      return (await this.pods()).find(({ metadata }) => metadata.name === name) ?? false;
    }, PATIENCE);
  }

  async pods(): Promise<Pod[]> {
    const { name, namespace } = this.place;
    const { items } = await this.#client.list(Pod, { namespace, labelSelector: labelsOf(name) });
    return items.filter(({ metadata }) => !metadata.deletionTimestamp);
  }

  async close(): Promise<void> {
    const { name, namespace } = this.place;
    await kubectl(this.#cluster, ['delete', 'etcd', name, '-n', namespace, '--wait=false']);
    await this.#client.delete(Namespace, { name: namespace });
  }

  #manifest(): object {
    const { name, namespace } = this.place;
    const secret = { name: `${name}-client-tls` };
    const tls = { tlsCASecretRef: { ...secret, dataKey: 'ca.crt' }, serverTLSSecretRef: secret };
    const labels = { app: name };
    const resources = { requests: { cpu: '10m', memory: '64Mi' } };
    return {
      apiVersion: 'druid.gardener.cloud/v1alpha1',
      kind: 'Etcd',
      metadata: { name, namespace },
      spec: {
        replicas: 3,
        labels,
        selector: { matchLabels: labels },
        storageCapacity: '256Mi',
        etcd: {
          image: WRAPPER,
          resources,
          clientUrlTls: { ...tls, clientTLSSecretRef: secret },
          peerUrlTls: tls,
        },
        backup: { image: SIDECAR, port: 8080, resources },
        sharedConfig: { autoCompactionMode: 'periodic', autoCompactionRetention: '30m' },
      },
    };
  }
}

/** One for all members and clients, as its authors' examples have it. */
function certificate({ name, namespace }: Place) {
  const now = Date.now();
  const authority = createAuthority({ name: `${name}-authority`, lifetime: 2 * DAY, now });
  const hosts = [0, 1, 2].map((index) => `${name}-${index}.${name}-peer.${namespace}.svc`);
  const pair = issueLeaf(authority, {
    commonName: name,
    names: [...hosts, `${name}-local`, `${name}-client`, `${name}-client.${namespace}.svc`],
    usages: ['server', 'client'],
    lifetime: DAY,
    now,
  });
  return leafData({ pair, bundle: authority.pem });
}
