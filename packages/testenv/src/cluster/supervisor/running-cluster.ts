/** A whole cluster, started in the order that is quickest, and held until it is taken down. */
import { copyFile, mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Program } from '../../binaries/program.ts';
import { TestenvError } from '../../error.ts';
import { until } from '../../internal/until.ts';
import { type Mirror, mirrorHosts, startPulling } from '../../pulling/index.ts';
import { canReach } from '../../pulling/reachable.ts';
import type { Reporter } from '../../reporter.ts';
import { admitNode, applyDnsService, applyRoles, corefile, untilPodsCanBeMade } from '../bootstrap.ts';
import { type ClusterConfig, cgroupOf, clusterFiles } from '../cluster-config.ts';
import { type Component, createComponent } from '../component.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { identities } from '../control-plane/pki.ts';
import { cgroupParent, hierarchies, removeCgroup } from '../machines/cgroups.ts';
import { createMachine, type Machine, routeBetween } from '../machines/machine.ts';
import { enteringNetwork } from '../machines/namespaces.ts';
import { createNetwork, type Network } from '../machines/network.ts';
import { type ClusterNode, createNode, type NodeProgram, type NodeTool } from '../node/node.ts';
import { startAddons } from './addons.ts';
import { type Registry, type RunningRegistry, startRegistry } from './registry.ts';
import type { Undo } from './undo.ts';

export interface RunningCluster {
  readonly config: ClusterConfig;
  readonly folder: string;
  readonly controlPlane: ControlPlane;
  /** Undefined for a control plane alone. */
  readonly network: Network | undefined;
  readonly controlPlaneMachine: Machine | undefined;
  readonly nodes: readonly ClusterNode[];
  components(): Component[];
  load(archive: string): Promise<void>;
  /** The registry, started when it is first asked for. */
  registry(): Promise<Registry>;
}

export async function startCluster(
  config: ClusterConfig,
  folder: string,
  undo: Undo,
  reporter: Reporter,
): Promise<RunningCluster> {
  const { logs, kubeconfig } = clusterFiles(folder);
  await mkdir(logs, { recursive: true });
  const startPlane = (machine?: Machine) =>
    startControlPlane({
      cluster: config.name,
      folder,
      logs,
      program: (name) => programPath(config, name),
      ...(machine ? { machine } : {}),
      ...(config.port === undefined ? {} : { port: config.port }),
      controllers: config.controllers,
      audit: config.audit,
      fastFailureDetection: config.fastFailureDetection,
      ...(config.apiServerArguments ? { extraApiServerArguments: config.apiServerArguments } : {}),
    });

  if (config.nodes === 0) {
    const controlPlane = await startPlane();
    undo.add(() => Promise.all(controlPlane.components.map((component) => component.stop('SIGKILL'))));
    await copyFile(controlPlane.kubeconfig, kubeconfig);
    return runningCluster(config, folder, undo, { controlPlane, nodes: [] });
  }

  undo.add(() => removeCgroups(cgroupOf(config)));
  const network = await createNetwork(config.name);
  undo.add(() => network.close());
  const numbers = Array.from({ length: config.nodes }, (_, i) => i + 1);
  const mirror = config.closed ? undefined : await startPulling(network.plan.host, numbers.map(network.plan.node));
  if (mirror) undo.add(() => mirror.close());
  const machine = await createMachine({
    name: 'cp',
    address: network.plan.controlPlane,
    folder: join(folder, 'cp'),
    network,
  });
  undo.add(() => machine.remove());
  await machine.powerOn();
  await routePods(machine, config.nodes);

  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  const plane = startPlane(machine).then((controlPlane) => {
    reporter.verbose(`the API server is ready after ${seconds()}`);
    return controlPlane;
  });
  const surroundings = { config, folder, network, undo, plane, reporter, mirror };
  const startedNodes = Promise.all(numbers.map((number) => startNode(number, surroundings)));
  const whenUp = async <T>(what: (controlPlane: ControlPlane, nodes: ClusterNode[]) => Promise<T>): Promise<T> =>
    what(await plane, await startedNodes);
  // Nothing of this waits for anything else than the API server, or the nodes' programs.
  const [controlPlane, nodes, dns] = await Promise.all([
    plane,
    startedNodes,
    plane.then((started) => startDns(config, folder, started, machine)),
    plane.then(({ client }) => untilPodsCanBeMade(client)),
    whenUp(async ({ client }, joining) => {
      await Promise.all(joining.map((node) => admitNode(client, node, network.plan.podsOf(node.number))));
      reporter.verbose(`every node is ready after ${seconds()}`);
    }),
    whenUp(async (started, joining) => {
      const addons = await startAddons(started, joining, network.plan, reporter);
      undo.add(() => addons.stop());
    }),
    mirror && warnOfFirewall(mirror, machine, reporter),
  ]);
  await copyFile(controlPlane.kubeconfig, kubeconfig);
  return runningCluster(config, folder, undo, { controlPlane, network, machine, nodes, dns });
}

interface Parts {
  controlPlane: ControlPlane;
  nodes: readonly ClusterNode[];
  network?: Network;
  machine?: Machine;
  dns?: Component;
}

function runningCluster(config: ClusterConfig, folder: string, undo: Undo, parts: Parts): RunningCluster {
  const { controlPlane, nodes, network, machine, dns } = parts;
  let registry: Promise<RunningRegistry> | undefined;
  let registryComponent: Component | undefined;

  return {
    config,
    folder,
    controlPlane,
    network,
    controlPlaneMachine: machine,
    nodes,
    components: () => [
      ...controlPlane.components,
      ...[dns, registryComponent].filter((component) => component !== undefined),
      ...nodes.flatMap((node) => Object.values(node.components)),
    ],
    async load(archive) {
      if (nodes.length === 0) throw noNodes('to load an image into');
      await Promise.all(nodes.map((node) => node.load(archive)));
    },
    async registry() {
      if (!network) throw noNodes('that could pull from a registry');
      registry ??= startRegistry(network, folder, clusterFiles(folder).logs);
      try {
        const { url, name, component, machine } = await registry;
        if (!registryComponent) undo.add(() => machine.remove());
        registryComponent = component;
        return { url, name };
      } catch (error) {
        registry = undefined;
        throw error;
      }
    },
  };
}

function noNodes(what: string): TestenvError {
  return new TestenvError('KUR_TESTENV_NO_NODES', `this cluster is a control plane alone: it has no node ${what}`, {
    remedy: 'make one with nodes: kurator cluster up --nodes 1',
  });
}

interface NodeSurroundings {
  config: ClusterConfig;
  folder: string;
  network: Network;
  undo: Undo;
  plane: Promise<ControlPlane>;
  reporter: Reporter;
  mirror: Mirror | undefined;
}

async function startNode(number: number, surroundings: NodeSurroundings): Promise<ClusterNode> {
  const { config, folder, network, undo, plane, reporter, mirror } = surroundings;
  const { plan } = network;
  const name = `n${number}`;
  const node = await createNode({
    number,
    name,
    network,
    folder: join(folder, name),
    logs: clusterFiles(folder).logs,
    cgroup: `${cgroupOf(config)}/${name}`,
    programs: config.nodePrograms as Record<NodeProgram | NodeTool, string>,
    cniPlugins: config.cniPlugins,
    registryAddress: `${plan.registry}:5000`,
    otherRegistries: mirror && mirrorHosts(mirror),
    fastFailureDetection: config.fastFailureDetection,
    reporter,
  });
  undo.add(() => node.machine.remove());
  await routePods(node.machine, config.nodes);
  await network.routeFromHost(plan.podsOf(number), node.machine.address);
  if (number === 1) await network.routeFromHost(plan.services, node.machine.address);
  await node.startRuntime();
  for (const image of config.images) await node.load(image);
  const { pki } = await plane;
  await node.join(pki);
  return node;
}

/** Tells a machine where the pods of every other node are. */
async function routePods(machine: Machine, nodes: number): Promise<void> {
  const { plan } = machine.network;
  for (let number = 1; number <= nodes; number++) {
    if (plan.node(number) !== machine.address) await routeBetween(machine, plan.podsOf(number), plan.node(number));
  }
}

async function startDns(
  config: ClusterConfig,
  folder: string,
  controlPlane: ControlPlane,
  machine: Machine,
): Promise<Component> {
  const { plan } = machine.network;
  await applyRoles(controlPlane.client);
  const kubeconfig = await controlPlane.pki.writeKubeconfig('coredns', identities.dns);
  await writeFile(join(folder, 'Corefile'), corefile(kubeconfig));
  const dns = createComponent({
    name: 'coredns',
    command: programPath(config, 'coredns'),
    args: ['-conf', join(folder, 'Corefile')],
    log: join(clusterFiles(folder).logs, 'coredns.log'),
    machine,
  });
  await Promise.all([dns.start(), applyDnsService(controlPlane.client, plan)]);
  await until(
    'cluster DNS to answer',
    async () => {
      await dns.assertRunning();
      return (await fetch(`http://${plan.controlPlane}:8181/ready`)).ok;
    },
    { interval: 100 },
  );
  return dns;
}

/** What the cluster asks of the machine comes in by one device, and some firewalls let nothing in. */
async function warnOfFirewall({ url }: Mirror, machine: Machine, reporter: Reporter): Promise<void> {
  const { cable, network } = machine;
  if (await canReach(url, (command, args) => enteringNetwork(cable, command, args))) return;
  const allow = `ufw allow in on ${network.device}, or: firewall-cmd --zone=trusted --add-interface=${network.device}`;
  reporter.info(
    `A firewall of this machine keeps nodes from ${url}: no image can be pulled, and kubectl top won't work. ${allow}`,
  );
}

async function removeCgroups(cgroup: string): Promise<void> {
  await removeCgroup(cgroup);
  // The group above is shared by all clusters: the last one takes it along.
  const parents = (await hierarchies()).map(({ mount }) => join(mount, cgroupParent));
  await Promise.all(parents.map((folder) => rmdir(folder).catch(() => {})));
}

function programPath(config: ClusterConfig, name: Program): string {
  const path = config.programs[name];
  if (!path) throw new TestenvError('KUR_TESTENV_NO_PROGRAM', `this cluster was made without ${name}`);
  return path;
}
