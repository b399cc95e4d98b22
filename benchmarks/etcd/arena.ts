/** Three nodes, and on them one cluster of etcd after the other: each in a namespace of its own, with an operator of its own. */
import { EtcdCluster, etcd } from '@kurator/operator-etcd';
import { type Client, installCrds, Namespace, Pod, Secret, waitFor } from '@kurator/sdk';
import { type Cluster, createCluster, eventually } from '@kurator/testenv';
import { ETCD_NEXT_VERSION, ETCD_REPOSITORY, ETCD_VERSION, loadEtcd } from '../../e2e/support/etcd-image.ts';
import { patiently } from '../../e2e/support/kubectl.ts';
import { bundledImage } from '../../e2e/support/operator-in-cluster.ts';
import { isAsWanted } from '../../operators/etcd/test/support/as-wanted.ts';
import type { MutantName } from './mutants.ts';
import { RunningOperator, Workshop } from './operator.ts';

/** Where runs take place. */
export interface Arena extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly workshop: Workshop;
  /** The operator's own image, on every node: what handles snapshots runs from it, and a process of this machine has to be told. */
  image(): Promise<string>;
}

export async function openArena(name: string): Promise<Arena> {
  const { cluster } = await createCluster({ name, nodes: 3, fastFailureDetection: true });
  const workshop = new Workshop();
  const client = await cluster.client();
  const close = async () => {
    await client.close();
    await cluster.down();
    await workshop[Symbol.asyncDispose]();
  };
  try {
    await loadEtcd(cluster, [ETCD_VERSION, ETCD_NEXT_VERSION]);
    await installCrds(client, etcd.resources);
    let loading: Promise<string> | undefined;
    const image = () => (loading ??= loadOperator(cluster));
    return { cluster, client, workshop, image, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function loadOperator(cluster: Cluster): Promise<string> {
  const image = `${etcd.name}:bench`;
  await cluster.load(await bundledImage({ main: 'operators/etcd/src/main.ts' }, image));
  return image;
}

const ROTATED = 180_000;

/** A cluster of etcd and who looks after it. */
export class Subject implements AsyncDisposable {
  readonly arena: Arena;
  readonly operator: RunningOperator;
  readonly place: { readonly name: string; readonly namespace: string };

  private constructor(arena: Arena, operator: RunningOperator, namespace: string) {
    this.arena = arena;
    this.operator = operator;
    this.place = { name: 'etcd', namespace };
  }

  /** Asks for one of three members; does not wait for them. */
  static async open(arena: Arena, namespace: string, mutant?: MutantName): Promise<Subject> {
    const { client, cluster, workshop } = arena;
    const program = await workshop.program(mutant);
    await client.create(Namespace, { metadata: { name: namespace } });
    const subject = new Subject(arena, new RunningOperator(program, cluster.kubeconfig, namespace), namespace);
    await client.create(EtcdCluster, {
      metadata: subject.place,
      spec: {
        size: 3,
        version: ETCD_VERSION,
        repository: ETCD_REPOSITORY,
        storage: { size: '256Mi' },
        replaceAfter: '30s',
        tls: { overlap: '2s' },
      },
    } as never);
    return subject;
  }

  /** Waits until it is as it is wanted, and gives it. */
  async untilRunning(timeout: number, also: (cluster: EtcdCluster) => boolean = () => true): Promise<EtcdCluster> {
    const isRunning = (cluster: EtcdCluster) => isAsWanted(cluster) && also(cluster);
    return await waitFor(this.arena.client, EtcdCluster, this.place, isRunning, { description: 'to run', timeout });
  }

  /** Waits until there is another authority than at first, and only that. */
  async untilRotated(): Promise<void> {
    const { client } = this.arena;
    const { name, namespace } = this.place;
    const authorities = async () => {
      const { data = {} } = await client.get(Secret, { name: `${name}-ca`, namespace });
      return Buffer.from(data['ca.crt'] ?? '', 'base64').toString();
    };
    const before = await authorities();
    await eventually(
      async () => {
        const now = await authorities();
        return now !== before && now.split('-----BEGIN').length === 2;
      },
      { ...patiently, timeout: ROTATED },
    );
  }

  async etcd(): Promise<EtcdCluster> {
    return await this.arena.client.get(EtcdCluster, this.place);
  }

  async change(spec: object): Promise<void> {
    await this.arena.client.patch(EtcdCluster, this.place, { spec });
  }

  /** Those that are not on their way out, by name. */
  async pods(): Promise<Pod[]> {
    const { items } = await this.arena.client.list(Pod, { namespace: this.place.namespace });
    const staying = items.filter(({ metadata }) => !metadata.deletionTimestamp);
    return staying.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }

  /** What it has goes with its namespace; nobody waits for that. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { client } = this.arena;
    await this.operator[Symbol.asyncDispose]();
    const { namespace } = this.place;
    for (const { metadata } of await this.pods()) {
      await client.delete(Pod, { name: metadata.name, namespace }, { gracePeriodSeconds: 0 }).catch(() => {});
    }
    await client.delete(Namespace, { name: namespace });
  }
}
