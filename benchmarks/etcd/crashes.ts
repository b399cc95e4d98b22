/** The operator killed before, during and after its writes, while it makes, grows, upgrades, shrinks and replaces: where does it end. */
import { fileURLToPath } from 'node:url';
import { EtcdCluster } from '@kurator/operator-etcd';
import { Pod, waitFor } from '@kurator/sdk';
import { type CrashScenario, everyCrash } from '@kurator/testenv';
import { ETCD_NEXT_VERSION, ETCD_REPOSITORY, ETCD_VERSION } from '../../e2e/support/etcd-image.ts';
import { type Arena, isAsWanted } from './arena.ts';

type World = Parameters<CrashScenario['run']>[0];
type Normalise = NonNullable<CrashScenario['normalise']>;

/** How many places were tried, and how many were not survived. */
export interface Crashes {
  readonly points: number;
  readonly failed: number;
  /** The table of all places; of what failed also why. */
  readonly text: string;
}

const main = fileURLToPath(new URL('../../operators/etcd/src/main.ts', import.meta.url));
/** A life has a cluster or two of real pods in it. */
const PATIENCE = 240_000;

const until = ({ client, namespace, signal }: World, also: (cluster: EtcdCluster) => boolean = () => true) =>
  waitFor(client, EtcdCluster, { name: 'etcd', namespace }, (cluster) => isAsWanted(cluster) && also(cluster), {
    description: 'to run',
    timeout: PATIENCE,
    signal,
  });

async function create({ client, namespace }: World, size: number): Promise<void> {
  const spec = { size, version: ETCD_VERSION, repository: ETCD_REPOSITORY, storage: { size: '256Mi' } };
  await client.create(EtcdCluster, { metadata: { name: 'etcd', namespace }, spec } as never);
}

const lives: Readonly<Record<string, CrashScenario['run']>> = {
  'made, grown, upgraded, shrunk': async (world) => {
    const { client, namespace } = world;
    const change = (spec: object) => client.patch(EtcdCluster, { name: 'etcd', namespace }, { spec });
    await create(world, 1);
    await until(world);
    await change({ size: 2 });
    await until(world);
    await change({ version: ETCD_NEXT_VERSION });
    await until(world);
    await change({ size: 1 });
    await until(world);
  },
  'made, and a member replaced': async (world) => {
    const { client, namespace } = world;
    await create(world, 3);
    const { status } = await until(world);
    const lost = (status?.members ?? []).find(({ name }) => name !== status?.leader)?.name ?? '';
    await client.delete(Pod, { name: lost, namespace });
    await until(world, (cluster) => (cluster.status?.members ?? []).every(({ name }) => name !== lost));
  },
};

/** What there is, and what state it is in; not what etcd and Kubernetes say of it beside. */
const normalise: Normalise = ({ kind, metadata, spec, status }) => {
  const { labels } = metadata;
  if (kind === 'EtcdCluster') {
    const { phase, size, ready, currentVersion, members } = (status ?? {}) as NonNullable<EtcdCluster['status']>;
    const states = (members ?? []).map(({ state, healthy, version }) => ({ state, healthy, version }));
    return { kind, spec, phase, size, ready, currentVersion, states };
  }
  if (kind === 'Pod') return { kind, labels, images: (spec as Pod['spec'])?.containers.map(({ image }) => image) };
  return ['PersistentVolumeClaim', 'Secret', 'Service', 'PodDisruptionBudget'].includes(kind)
    ? { kind, labels }
    : undefined;
};

/** @param share How much of all places is tried, from 0 to 1. */
export async function crashesOf(arena: Arena, share: number, seed: number): Promise<Crashes[]> {
  const all: Crashes[] = [];
  for (const [name, life] of Object.entries(lives)) all.push(await crashesIn(arena, name, life, share, seed));
  return all;
}

async function crashesIn(
  { client }: Arena,
  name: string,
  run: CrashScenario['run'],
  share: number,
  seed: number,
): Promise<Crashes> {
  const options = { name, client, share, seed, concurrency: 2, timeout: PATIENCE, settling: 60_000 };
  try {
    const report = await everyCrash(main, { run, normalise }, options);
    const { results } = report;
    return {
      points: results.filter(({ outcome }) => outcome !== 'missed').length,
      failed: 0,
      text: `${name}\n${report}`,
    };
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    // Nothing was found out; what was measured before must not be lost for it.
    if (code !== 'KUR_TESTENV_CRASH') return { points: 0, failed: 1, text: message };
    // Of a report that comes as an error there is only the text, with its summary.
    const [, passed = 0, failed = 0] = /: (\d+) ok, (\d+) failed/.exec(message) ?? [];
    return { points: Number(passed) + Number(failed), failed: Number(failed), text: message };
  }
}
