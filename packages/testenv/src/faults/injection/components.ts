/** Stopped and hung programs of the cluster, and machines without power. */

import { until } from '../../internal/until.ts';
import { cgroupOf, removeCgroup } from '../../machines/cgroups.ts';
import type { Component } from '../../machines/component.ts';
import type { HangRequest, PowerOffRequest, StopRequest } from '../requests/components.ts';
import type { Fault, Inject } from './fault.ts';
import { findMachine, noTarget } from './machine-target.ts';
import { isStopped, sendSignal } from './processes.ts';
import type { TargetCluster } from './target-cluster.ts';

/** See {@link StopRequest}. */
export const stop: Inject<StopRequest> = async (request, fault) => {
  const component = claimComponent(request, fault);
  fault.onHeal(() => component.start());
  await component.stop(request.signal ?? 'SIGTERM');
};

/** See {@link HangRequest}. */
export const hang: Inject<HangRequest> = async (request, fault) => {
  const component = claimComponent(request, fault);
  const { pid } = component;
  if (pid === undefined) throw noTarget(`${request.component} does not run`);
  fault.onHeal(async () => {
    // One that died in the meantime has come back by itself, under another number.
    if (component.pid === pid) sendSignal(pid, 'SIGCONT');
  });
  sendSignal(pid, 'SIGSTOP');
  await until(`${request.component} to stop`, async () => await isStopped(pid), { interval: 5, timeout: 10_000 });
};

/** See {@link PowerOffRequest}. */
export const powerOff: Inject<PowerOffRequest> = async ({ node: name }, fault) => {
  const { cluster } = fault;
  const machine = findMachine(cluster, name);
  fault.claim(`machine/${name}`);
  fault.claim(`cable/${name}`);
  const components = cluster.components().filter((component) => component.machine === machine);
  const node = cluster.nodes.find((it) => it.machine === machine);
  fault.onHeal(async () => {
    if (node) return await node.powerOn();
    await machine.powerOn();
    for (const component of components) await component.start();
  });
  // Its network namespace lives on, and would still answer: refuse connections, return pings.
  fault.onHeal(() => machine.network.setCable(name, 'up'));
  await machine.network.setCable(name, 'down');
  await machine.powerOff();
  await until(`everything on ${name} to end`, async () => components.every(({ pid }) => pid === undefined));
  // A machine that really lost its power would have no cgroups either; to the kubelet, leftovers are containers that
  // it waits for.
  await removeCgroup(`${cgroupOf(cluster.config)}/${name}/kubepods`);
};

function claimComponent({ component: name, node }: StopRequest | HangRequest, fault: Fault): Component {
  const component = findComponent(fault.cluster, name, node);
  fault.claim(`machine/${component.machine?.name ?? 'host'}/${name}`);
  return component;
}

function findComponent(cluster: TargetCluster, name: string, node: string | undefined): Component {
  const machine = node === undefined ? cluster.controlPlaneMachine : findMachine(cluster, node);
  const candidates = cluster.components().filter((component) => component.machine === machine);
  const found = candidates.find((component) => component.name === name);
  if (found) return found;
  const where = node === undefined ? "the cluster's control plane" : node;
  throw noTarget(`${where} has no ${name}`, `it has ${candidates.map((component) => component.name).join(', ')}`);
}
