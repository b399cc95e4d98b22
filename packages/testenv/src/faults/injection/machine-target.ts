/** The machines that a request can name. */

import { TestenvError } from '../../error.ts';
import type { AddressPlan } from '../../machines/addresses.ts';
import type { Machine } from '../../machines/machine.ts';
import type { Network } from '../../machines/network.ts';
import type { TargetCluster } from './target-cluster.ts';

/** The error for a request that asks for something the cluster does not have. */
export function noTarget(message: string, remedy?: string, cause?: unknown): TestenvError {
  return new TestenvError('KUR_TESTENV_FAULT_TARGET', message, { ...(remedy ? { remedy } : {}), cause });
}

/** The cluster's network; a control plane alone has none. */
export function networkOf({ network }: TargetCluster): Network {
  if (network) return network;
  throw noTarget(
    'this cluster is a control plane alone: it has no machines, pods or network of its own',
    'make one with nodes: kurator cluster up --nodes 3',
  );
}

/** A machine by its name; the control plane's is called `cp`. */
export function findMachine(cluster: TargetCluster, name: string): Machine {
  networkOf(cluster);
  const machines = [cluster.controlPlaneMachine, ...cluster.nodes.map((node) => node.machine)].filter(
    (it) => it !== undefined,
  );
  const found = machines.find((machine) => machine.name === name);
  if (found) return found;
  throw noTarget(`there is no machine "${name}"`, `use one of ${machines.map((machine) => machine.name).join(', ')}`);
}

/** Every address that a machine has, with or without those of its pods. */
export function rangesOf(plan: AddressPlan, cluster: TargetCluster, machine: Machine, pods: boolean): string[] {
  const node = cluster.nodes.find((it) => it.machine === machine);
  if (!node) return [machine.address];
  const podRange = plan.podsOf(node.number);
  // The node's own programs speak to its pods from the first address of their range.
  return [machine.address, pods ? podRange : podRange.replace('.0/24', '.1')];
}

/** The network namespace of a machine, there also while it is powered off. */
export function machineNamespace(machine: Machine): string {
  return `/proc/${machine.cable.pid}/ns/net`;
}
