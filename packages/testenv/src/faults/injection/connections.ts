/** Ports that refuse connections, or let them wait. */

import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { TestenvError } from '../../error.ts';
import type { DelayRequest, RefuseRequest } from '../requests/connections.ts';
import { toMilliseconds } from '../requests/duration.ts';
import type { Fault, Inject } from './fault.ts';
import { type Helper, startHelper } from './helper-process.ts';
import { findMachine, machineNamespace, noTarget } from './machine-target.ts';
import { addressesOf, podAddress } from './place.ts';
import { findPod, refuseHostNetwork, sandboxProcess } from './pod-target.ts';
import type { RuleSet } from './rule-set.ts';
import { addRules, applyRules, type NamespacePath } from './rules.ts';
import type { TargetCluster } from './target-cluster.ts';

/** Where a port is: a pod's own network namespace, which goes with it, or a machine's. */
interface Listener {
  readonly name: string;
  readonly address: string;
  readonly namespace: NamespacePath;
  /** The process whose end is the listener's end. */
  holder(): Promise<number | undefined>;
}

/** See {@link RefuseRequest}. */
export const refuse: Inject<RefuseRequest> = async (request, fault) => {
  const listener = await findListener(fault.cluster, request);
  const verdict = ['-p', 'tcp', '-j', 'REJECT', '--reject-with', 'tcp-reset'];
  const match = ['-p', 'tcp', '--dport', String(request.port), '--syn'];
  await addPortRules(fault, listener, request, { table: 'filter', hook: 'INPUT', match, verdict });
};

/** See {@link DelayRequest}. */
export const delay: Inject<DelayRequest> = async (request, fault) => {
  const { port, by } = request;
  const listener = await findListener(fault.cluster, request);
  fault.claim(`delay/${listener.name}/${port}`);
  const proxy = await startProxy(listener, port, toMilliseconds(by) ?? 0);
  fault.onHeal(async () => proxy.signal('SIGTERM'));
  await trackConnections(fault.id, listener, proxy);
  const verdict = ['-p', 'tcp', '-j', 'REDIRECT', '--to-ports', String(await portOf(proxy))];
  // The kernel begins to track connections only with this rule: to it, those that are open already look new as well.
  const match = ['!', '-i', 'lo', '-p', 'tcp', '-d', listener.address, '--dport', String(port), '--syn'];
  await addPortRules(fault, listener, request, { table: 'nat', hook: 'PREROUTING', match, verdict });
};

/**
 * The kernel knows which connections were redirected only as long as some rule makes it track connections at all. This
 * one stays until the last of them is over, which may be long after the fault is healed.
 */
async function trackConnections(id: string, { namespace }: Listener, proxy: Helper): Promise<void> {
  const untrack = await applyRules(namespace, {
    table: 'mangle',
    id,
    selectors: [{ hook: 'PREROUTING', match: ['-m', 'conntrack', '--ctstate', 'UNTRACKED'] }],
    spared: [],
    verdict: ['-j', 'RETURN'],
  });
  void proxy.ended.then(untrack).catch(() => {});
}

async function findListener(cluster: TargetCluster, { to }: RefuseRequest | DelayRequest): Promise<Listener> {
  if ('node' in to) {
    const machine = findMachine(cluster, to.node);
    return {
      name: machine.name,
      address: machine.address,
      namespace: async () => machineNamespace(machine),
      holder: async () => machine.system?.pid,
    };
  }
  const pod = await findPod(cluster, to);
  refuseHostNetwork(pod);
  return {
    name: pod.title,
    address: podAddress(pod),
    async namespace() {
      const holder = await sandboxProcess(pod);
      return holder === undefined ? undefined : `/proc/${holder}/ns/net`;
    },
    holder: () => sandboxProcess(pod),
  };
}

interface PortRules extends Pick<RuleSet, 'table' | 'verdict'> {
  readonly hook: 'INPUT' | 'PREROUTING';
  readonly match: readonly string[];
}

async function addPortRules(
  fault: Fault,
  listener: Listener,
  request: RefuseRequest | DelayRequest,
  rules: PortRules,
): Promise<void> {
  const { table, verdict, hook, match } = rules;
  const senders = request.from ? (await addressesOf(fault.cluster, request.from)).map((range) => ['-s', range]) : [[]];
  await addRules(fault, listener.namespace, {
    table,
    id: fault.id,
    selectors: senders.map((sender) => ({ hook, match: [...match, ...sender] })),
    spared: await addressesOf(fault.cluster, request.except),
    verdict,
  });
}

const proxyProgram = join(import.meta.dirname, '..', 'programs', `delay-proxy${extname(import.meta.filename)}`);

async function startProxy(
  { name, address, namespace, holder }: Listener,
  port: number,
  milliseconds: number,
): Promise<Helper> {
  const [livesWith, network] = await Promise.all([holder(), namespace()]);
  if (livesWith === undefined || network === undefined) throw noTarget(`${name} does not run`);
  return await startHelper({
    livesWith,
    network,
    script: 'exec "$@" </dev/null',
    args: ['delay', process.execPath, proxyProgram, address, String(port), String(milliseconds)],
  });
}

async function portOf({ process: proxy, ended }: Helper): Promise<number> {
  const lines = createInterface({ input: proxy.stdout as NodeJS.ReadableStream });
  const line = new Promise<string>((resolve) => lines.once('line', resolve));
  const first = await Promise.race([line, ended]);
  if (first === undefined)
    throw new TestenvError('KUR_TESTENV_FAULT', 'the program that delays connections ended before it began');
  return Number(first);
}
