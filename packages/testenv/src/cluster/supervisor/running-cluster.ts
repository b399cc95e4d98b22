/** A whole cluster, started in the order that is quickest, and held until it is taken down. */
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Program } from '../../binaries/program.ts';
import { TestenvError } from '../../error.ts';
import { openLayeredImage } from '../../images/layered-image.ts';
import { until } from '../../internal/until.ts';
import { cgroupOf, cgroupParent, hierarchies, removeCgroup } from '../../machines/cgroups.ts';
import { type Component, createComponent } from '../../machines/component.ts';
import { createMachine, type Machine, routeBetween } from '../../machines/machine.ts';
import { enteringNetwork } from '../../machines/namespaces.ts';
import { createNetwork, type Network } from '../../machines/network.ts';
import { type Mirror, mirrorHosts, startPulling } from '../../pulling/index.ts';
import { canReach } from '../../pulling/reachable.ts';
import type { Reporter } from '../../reporter.ts';
import { openSharedLayers, type SharedLayers } from '../../unpacked/index.ts';
import { admitNode, applyDnsService, applyRoles, corefile, untilPodsCanBeMade } from '../bootstrap.ts';
import { type ClusterConfig, clusterFiles } from '../cluster-config.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { identities } from '../control-plane/pki.ts';
import { type ClusterNode, createNode, type NodeImage, type NodeProgram, type NodeTool } from '../node/node.ts';
import { startAddons } from './addons.ts';
import { type ClusterRegistry, type RunningClusterRegistry, startClusterRegistry } from './cluster-registry.ts';
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
  registry(): Promise<ClusterRegistry>;
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
    await controlPlane.ready;
    await copyFile(controlPlane.kubeconfig, kubeconfig);
    return runningCluster(config, folder, undo, { controlPlane, nodes: [] });
  }

  undo.add(() => removeCgroups(cgroupOf(config)));
  const network = await createNetwork(config.name);
  undo.add(() => network.close());
  const numbers = Array.from({ length: config.nodes }, (_, i) => i + 1);
  const mirror = config.closed ? undefined : await startPulling(network.plan.host, numbers.map(network.plan.node));
  if (mirror) undo.add(() => mirror.close());
  const sharedLayers = await openSharedLayers({ programs: nodeProgramsOf(config), workFolder: folder, reporter });
  undo.add(() => sharedLayers.release());
  const machine = await createMachine({
    name: 'cp',
    address: network.plan.controlPlane,
    folder: join(folder, 'cp'),
    network,
  });
  undo.add(() => machine.remove());
  await Promise.all([machine.powerOn(), routePods(machine, config.nodes)]);

  const started = performance.now();
  const tell = (what: string) =>
    reporter.verbose(`${what} after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const plane = startPlane(machine).then((controlPlane) => {
    tell('the API server answers');
    return controlPlane;
  });
  const readyPlane = plane.then(async (controlPlane) => {
    await controlPlane.ready;
    tell('the API server is ready');
    return controlPlane;
  });
  const surroundings = { config, folder, network, undo, plane, reporter, mirror, sharedLayers };
  const startedNodes = Promise.all(numbers.map((number) => startNode(number, surroundings)));
  const whenUp = async <T>(what: (controlPlane: ControlPlane, nodes: ClusterNode[]) => Promise<T>): Promise<T> =>
    what(await plane, await startedNodes);
  // Nothing of this waits for anything else than the API server, or the nodes' programs. Who needs one of the roles that
  // Kubernetes brings waits until it is ready; the others use the second until then.
  const [controlPlane, nodes, dns] = await Promise.all([
    plane,
    startedNodes,
    plane.then((started) => startDns(config, folder, started, machine)),
    readyPlane.then(({ client }) => untilPodsCanBeMade(client)),
    readyPlane.then(async () => {
      await Promise.all((await startedNodes).map((node) => node.startProxy()));
    }),
    whenUp(async ({ client }, joining) => {
      await Promise.all(joining.map((node) => admitNode(client, node, network.plan.podsOf(node.number))));
      tell('every node is ready');
    }),
    whenUp(async (started, joining) => {
      const addons = await startAddons(started, joining, network.plan, reporter);
      undo.add(() => addons.stop());
    }),
    mirror && warnOfFirewall(mirror, machine, reporter),
  ]);
  await copyFile(controlPlane.kubeconfig, kubeconfig);
  return runningCluster(config, folder, undo, { controlPlane, network, machine, nodes, dns, sharedLayers });
}

interface Parts {
  controlPlane: ControlPlane;
  nodes: readonly ClusterNode[];
  network?: Network;
  machine?: Machine;
  dns?: Component;
  sharedLayers?: SharedLayers;
}

function runningCluster(config: ClusterConfig, folder: string, undo: Undo, parts: Parts): RunningCluster {
  const { controlPlane, nodes, network, machine, dns, sharedLayers } = parts;
  let registry: Promise<RunningClusterRegistry> | undefined;
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
      const image = await nodeImage(archive, sharedLayers);
      await Promise.all(nodes.map((node) => node.load(image)));
    },
    async registry() {
      if (!network) throw noNodes('that could pull from a registry');
      registry ??= startClusterRegistry(network, folder, clusterFiles(folder).logs);
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

/** Large layers are linked rather than carried to each node, where the archive is one that can be taken apart. */
async function nodeImage(archive: string, sharedLayers: SharedLayers | undefined): Promise<NodeImage> {
  const image = await openLayeredImage(archive);
  const shared = image && sharedLayers ? await sharedLayers.provide(image) : [];
  if (!image || shared.length === 0) return { shared: [], archive: () => createReadStream(archive) };
  return { shared, archive: () => image.without(shared.length) };
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
  sharedLayers: SharedLayers;
}

async function startNode(number: number, surroundings: NodeSurroundings): Promise<ClusterNode> {
  const { config, folder, network, undo, plane, reporter, mirror, sharedLayers } = surroundings;
  const { plan } = network;
  const name = `n${number}`;
  const node = await createNode({
    number,
    name,
    network,
    folder: join(folder, name),
    logs: clusterFiles(folder).logs,
    cgroup: `${cgroupOf(config)}/${name}`,
    programs: nodeProgramsOf(config),
    cniPlugins: config.cniPlugins,
    sharedLayers: sharedLayers.folder,
    registryAddress: `${plan.registry}:5000`,
    otherRegistries: mirror && mirrorHosts(mirror),
    fastFailureDetection: config.fastFailureDetection,
    reporter,
  });
  undo.add(() => node.machine.remove());
  const behind = [plan.podsOf(number), ...(number === 1 ? [plan.services] : [])];
  await Promise.all([
    routePods(node.machine, config.nodes),
    network.routeFromHost(behind, node.machine.address),
    node.startRuntime(),
  ]);
  for (const image of config.images) await node.load({ shared: [], archive: () => createReadStream(image) });
  const { pki } = await plane;
  await node.join(pki);
  return node;
}

/** Tells a machine where the pods of every other node are. */
async function routePods(machine: Machine, nodes: number): Promise<void> {
  const { plan } = machine.network;
  const numbers = Array.from({ length: nodes }, (_, i) => i + 1);
  const others = numbers.filter((number) => plan.node(number) !== machine.address);
  await routeBetween(
    machine,
    others.map((number) => ({ range: plan.podsOf(number), via: plan.node(number) })),
  );
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
  await until('cluster DNS to answer', async () => {
    await dns.assertRunning();
    return (await fetch(`http://${plan.controlPlane}:8181/ready`)).ok;
  });
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

function nodeProgramsOf({ nodePrograms }: ClusterConfig): Record<NodeProgram | NodeTool, string> {
  return nodePrograms as Record<NodeProgram | NodeTool, string>;
}

function programPath(config: ClusterConfig, name: Program): string {
  const path = config.programs[name];
  if (!path) throw new TestenvError('KUR_TESTENV_NO_PROGRAM', `this cluster was made without ${name}`);
  return path;
}
