/**
 * Clusters with and without nodes, ended in every way a cluster can end, and the machine is as it was: no process,
 * namespace, mount, link, route, rule, cgroup or loop device is left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { listClusters, openCluster } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MachineSnapshot, machineSnapshot } from './support/machine-snapshot.ts';

/** A file whose appearance marks how far a start has come. */
type Milestone = 'owner' | 'pki/ca.crt' | 'logs/kube-apiserver.log' | 'n1/kubelet.yaml';

type Ending = 'down' | 'owner killed' | 'supervisor killed' | 'owner ends by itself' | { ownerKilledAt: Milestone };

const endings: readonly Ending[] = ['down', 'owner killed', 'supervisor killed', 'owner ends by itself'];
const starting: readonly Milestone[] = ['owner', 'pki/ca.crt', 'logs/kube-apiserver.log', 'n1/kubelet.yaml'];

interface Round {
  readonly name: string;
  readonly nodes: number;
  readonly ending: Ending;
}

/** Clusters that end side by side: what one of them leaves is left when all of them are gone. */
const groups: readonly { readonly when: string; readonly rounds: readonly Round[] }[] = [
  ...[endings.slice(0, 2), endings.slice(2)].map((some) => ({
    when: some.join(', or '),
    rounds: some.flatMap((ending) => [0, 1].map((nodes) => roundOf(nodes, ending))),
  })),
  {
    when: 'owner killed while they start',
    rounds: [roundOf(0, { ownerKilledAt: 'owner' }), ...starting.map((ownerKilledAt) => roundOf(1, { ownerKilledAt }))],
  },
];

/** What is left of one has its name in it. */
function roundOf(nodes: number, ending: Ending): Round {
  const how = typeof ending === 'string' ? ending : (ending.ownerKilledAt.split('/').at(-1) ?? '');
  // Short, as its folder holds sockets.
  return { name: `round-${nodes}-${how.replaceAll(/[^a-z]+/g, '-').slice(0, 10)}`, nodes, ending };
}

let home: string;
let before: MachineSnapshot;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'kurator-leaves-nothing-'));
  vi.stubEnv('XDG_STATE_HOME', home);
  before = await machineSnapshot({ home, prefix: 'round-' });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true, force: true });
});

describe('a cluster that is gone leaves nothing', () => {
  it.each(groups)('$when', async ({ rounds }) => {
    await Promise.all(rounds.map(endCluster));
    await vi.waitFor(async () => expect(await machineSnapshot({ home, prefix: 'round-' })).toEqual(before), {
      timeout: 60_000,
      interval: 200,
    });
  });

  it('leaves no folder either, but for the logs of those that were killed, which `down` removes', async () => {
    const clusters = join(home, 'kurator', 'clusters');
    // The folder of one that ends in order is the last of it to go.
    const left = await vi.waitFor(
      async () => {
        const dead = (await listClusters()).filter(({ state }) => state === 'dead').map(({ name }) => name);
        expect(await readdir(clusters)).toEqual(dead);
        return dead;
      },
      { timeout: 60_000, interval: 200 },
    );
    const rounds = groups.flatMap((group) => group.rounds);
    const killed = rounds.filter(({ ending }) => ending === 'supervisor killed').map(({ name }) => name);
    expect(left).toEqual(expect.arrayContaining(killed));
    for (const name of killed) expect(await readdir(join(clusters, name))).toContain('logs');
    for (const name of left) await (await openCluster(name)).down();
    expect(await readdir(clusters)).toEqual([]);
  });
});

async function endCluster({ name, nodes, ending }: Round): Promise<void> {
  const owner = startOwner({ name, nodes });
  const ended = once(owner, 'exit');
  if (typeof ending === 'object') {
    const milestone = join(home, 'kurator', 'clusters', name, ending.ownerKilledAt);
    await vi.waitFor(() => access(milestone), { timeout: 60_000, interval: 10 });
    owner.kill('SIGKILL');
    await ended;
    return;
  }
  await ready(owner);
  const cluster = await openCluster(name);
  if (ending === 'down') await cluster.down();
  if (ending === 'supervisor killed') process.kill((await cluster.status()).supervisor.pid, 'SIGKILL');
  owner.kill(ending === 'owner ends by itself' ? 'SIGTERM' : 'SIGKILL');
  await ended;
}

function startOwner(options: { name: string; nodes: number }): ChildProcess {
  const script = join(import.meta.dirname, 'support', 'hold-cluster.ts');
  return spawn(process.execPath, ['--conditions=source', script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function ready(owner: ChildProcess): Promise<void> {
  for await (const line of createInterface({ input: owner.stdout as NodeJS.ReadableStream }))
    if (line === 'ready') return;
  throw new Error('the owner ended before its cluster was ready');
}
