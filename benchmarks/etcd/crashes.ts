/**
 * The operator killed before, during and after its writes, while it makes, grows, upgrades, shrinks, replaces, backs up and restores: where
 * does it end. On simulated members, where a life takes seconds, and on real ones, where it takes a minute or two.
 */
import { etcd } from '@kurator/operator-etcd';
import { installCrds } from '@kurator/sdk';
import { type CrashOptions, type CrashScenario, createCluster, everyCrash } from '@kurator/testenv';
import { ETCD_NEXT_VERSION, ETCD_REPOSITORY, ETCD_VERSION } from '../../e2e/support/etcd-image.ts';
import { crashLives } from '../../operators/etcd/test/support/crash-lives.ts';
import { furnish, simulateMembers } from '../../operators/etcd/test/support/simulated-members.ts';
import type { Arena } from './arena.ts';
import { Workshop } from './operator.ts';

/** How many places were tried, and how many were not survived. */
export interface Crashes {
  readonly points: number;
  readonly failed: number;
  /** The table of all places; of what failed also why. */
  readonly text: string;
}

/** How much of all places is tried, from 0 to 1, and which. */
export interface Chosen {
  readonly share: number;
  readonly seed: number;
}

const PATIENCE = 240_000;
const versions = { version: ETCD_VERSION, nextVersion: ETCD_NEXT_VERSION, repository: ETCD_REPOSITORY };
const lives = crashLives({ ...versions, patience: PATIENCE });
const IMAGE = 'KURATOR_ETCD_IMAGE';

/** On three real nodes. */
export async function podCrashes(arena: Arena, chosen: Chosen): Promise<Crashes[]> {
  const { client, workshop } = arena;
  const operator = { program: await workshop.program(), env: { [IMAGE]: await arena.image() } };
  const found: Crashes[] = [];
  for (const [name, life] of Object.entries(lives)) {
    found.push(await crashesIn(operator, life, { ...chosen, name, client, concurrency: 3, settling: 60_000 }));
  }
  return found;
}

/** On a control plane of its own, without nodes. */
export async function simulatedCrashes(chosen: Chosen): Promise<Crashes[]> {
  const { cluster } = await createCluster({ name: `bench-etcd-crashes-${process.pid}` });
  await using workshop = new Workshop();
  const client = await cluster.client();
  try {
    await installCrds(client, etcd.resources);
    await using _ = await simulateMembers(client);
    const operator = { program: await workshop.program(), env: { [IMAGE]: 'etcd-operator:simulated' } };
    const found: Crashes[] = [];
    for (const [name, { run, ...life }] of Object.entries(lives)) {
      const furnished: CrashScenario['run'] = async (world) => {
        await furnish(world.client, world.namespace);
        await run(world);
      };
      found.push(
        await crashesIn(operator, { ...life, run: furnished }, { ...chosen, name: `simulated: ${name}`, client }),
      );
    }
    return found;
  } finally {
    await client.close();
    await cluster.down();
  }
}

async function crashesIn(
  operator: Parameters<typeof everyCrash>[0],
  life: CrashScenario,
  options: CrashOptions & { readonly name: string },
): Promise<Crashes> {
  try {
    const report = await everyCrash(operator, life, { timeout: PATIENCE, ...options });
    const points = report.results.filter(({ outcome }) => outcome !== 'missed').length;
    return { points, failed: 0, text: `${options.name}\n${report}` };
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    // Nothing was found out; what was measured before must not be lost for it.
    if (code !== 'KUR_TESTENV_CRASH') return { points: 0, failed: 1, text: message };
    // Of a report that comes as an error there is only the text, with its summary.
    const [, passed = 0, failed = 0] = /: (\d+) ok, (\d+) failed/.exec(message) ?? [];
    return { points: Number(passed) + Number(failed), failed: Number(failed), text: message };
  }
}
