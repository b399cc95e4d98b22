/**
 * A cluster's network: one bridge in a namespace of its own, a cable (veth) from it to
 * each machine, and one to the host. Nothing of it is on the host but the host's end of
 * that cable, and nothing in it has a default route: a stray packet dies here.
 */

import { TestenvError } from '../error.ts';
import { run } from '../internal/run.ts';
import { type AddressPlan, addressPlan, type Block, freeBlocks } from './addresses.ts';
import { enteringNetwork, type Holder, holdNetwork, release } from './namespaces.ts';

export interface Network {
  readonly plan: AddressPlan;
  /** The host's network device into the cluster. */
  readonly device: string;
  /** A new network namespace on this network, holding `address`. */
  connect(port: string, address: string): Promise<Holder>;
  /** Pulls a machine's cable out, or puts it back in. */
  setCable(port: string, state: 'up' | 'down'): Promise<void>;
  /** How the host reaches addresses behind a machine. */
  routeFromHost(ranges: readonly string[], via: string): Promise<void>;
  close(): Promise<void>;
}

/** `cluster` is written on the host's device, for whoever wonders whose it is. */
export async function createNetwork(cluster: string): Promise<Network> {
  const hub = await holdNetwork();
  try {
    await ipIn(hub, ['link add br0 type bridge', 'link set br0 up', 'link set lo up']);
    const plan = await claimBlock(hub);
    const device = deviceOf(plan.block);
    await ipIn(hub, ['link set host master br0', 'link set host up']);
    await ipOnHost([
      `link set ${device} alias kurator:${cluster}`,
      `link set ${device} addrgenmode none`,
      `address add ${plan.host}/${plan.prefix} dev ${device}`,
      `link set ${device} up`,
    ]);
    return networkOn(hub, plan, device);
  } catch (error) {
    await release(hub);
    throw error;
  }
}

function networkOn(hub: Holder, plan: AddressPlan, device: string): Network {
  return {
    plan,
    device,
    async connect(port, address) {
      const machine = await holdNetwork();
      await ipIn(hub, [
        `link add ${port} type veth peer name eth0 netns ${machine.pid}`,
        `link set ${port} master br0`,
        `link set ${port} up`,
      ]);
      await ipIn(machine, [`address add ${address}/${plan.prefix} dev eth0`, 'link set eth0 up', 'link set lo up']);
      return machine;
    },
    setCable: (port, state) => ipIn(hub, [`link set ${port} ${state}`]),
    routeFromHost: (ranges, via) => ipOnHost(ranges.map((range) => `route replace ${range} via ${via} dev ${device}`)),
    close: () => release(hub),
  };
}

/** Making the host's device is the claim: the kernel lets only one process have a name. */
async function claimBlock(hub: Holder): Promise<AddressPlan> {
  for (const block of freeBlocks(await hostRoutes())) {
    const claimed = await ipOnHost([`link add ${deviceOf(block)} type veth peer name host netns ${hub.pid}`]).then(
      () => true,
      (error: Error) => {
        if (error.message.includes('File exists')) return false;
        throw error;
      },
    );
    if (claimed) return addressPlan(block);
  }
  throw new TestenvError(
    'KUR_TESTENV_NO_NETWORK',
    'every private range that a cluster could use is in use on this machine',
    {
      remedy:
        'take clusters down that are no longer needed (kurator cluster list), or routes (ip -4 route show table all)',
    },
  );
}

async function hostRoutes(): Promise<string[]> {
  const { stdout } = await run('ip', ['-4', '-j', 'route', 'show', 'table', 'all']);
  const routes = JSON.parse(stdout || '[]') as { dst: string }[];
  return routes.map((route) => route.dst).filter((range) => /^\d/.test(range));
}

function deviceOf(block: Block): string {
  return `kur${block.replace(/^10\./, '').replace('.', '-')}`;
}

/** Runs several `ip` commands in one process. */
export async function ipIn(namespace: Holder, lines: readonly string[]): Promise<void> {
  const [command, args] = enteringNetwork(namespace, 'ip', ['-batch', '-']);
  await run(command, args, { input: `${lines.join('\n')}\n` });
}

async function ipOnHost(lines: readonly string[]): Promise<void> {
  await run('ip', ['-batch', '-'], { input: `${lines.join('\n')}\n` });
}
