/** One node: a machine with containerd, kubelet and kube-proxy on it. */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createDiskVolumeHost } from '../../addons/volumes/disk-volume-host.ts';
import type { VolumeHost } from '../../addons/volumes/volume-host.ts';
import { registryHosts } from '../../images/docker-registry.ts';
import { until } from '../../internal/until.ts';
import { createCgroup } from '../../machines/cgroups.ts';
import { type Component, createComponent } from '../../machines/component.ts';
import { createMachine, type Machine, onDisk } from '../../machines/machine.ts';
import type { Network } from '../../machines/network.ts';
import type { Reporter } from '../../reporter.ts';
import { linking } from '../../unpacked/index.ts';
import { issueFor } from '../certificates.ts';
import { identities, type Pki } from '../control-plane/pki.ts';
import {
  clusterRegistryName,
  cniConfiguration,
  containerdToml,
  kubeletConfiguration,
  type NodeSettings,
  proxyConfiguration,
} from './configuration.ts';

export type NodeProgram = 'containerd' | 'kubelet' | 'kube-proxy';
/** What the node's own programs start. */
export type NodeTool = 'ctr' | 'containerd-shim-runc-v2' | 'runc';

export interface NodeOptions {
  /** From 1. */
  number: number;
  name: string;
  network: Network;
  /** The node's own folder, on the host. */
  folder: string;
  logs: string;
  cgroup: string;
  programs: Readonly<Record<NodeProgram | NodeTool, string>>;
  cniPlugins: string;
  /** The folder of layers that images share. */
  sharedLayers: string;
  /** `host:port`. */
  registryAddress: string;
  /** The `hosts.toml` for all other registries; undefined where there is no way to them. */
  otherRegistries?: string | undefined;
  fastFailureDetection: boolean;
  reporter: Reporter;
}

/** An image on its way to a node. */
export interface NodeImage {
  /** The chain IDs of its lowest layers that are shared, and so not in the archive. */
  readonly shared: readonly string[];
  /** An OCI archive of all the rest. */
  archive(): Readable;
}

export interface ClusterNode {
  readonly name: string;
  readonly number: number;
  readonly machine: Machine;
  readonly components: Readonly<Record<NodeProgram, Component>>;
  readonly volumes: VolumeHost;
  /** Starts containerd and waits until it takes orders; needs no API server. */
  startRuntime(): Promise<void>;
  /** Starts the kubelet, which needs no more than an API server that answers. */
  join(pki: Pki): Promise<void>;
  /** Starts kube-proxy, which is refused everything until Kubernetes' own roles are there. */
  startProxy(): Promise<void>;
  /** Loads an image. */
  load(image: NodeImage): Promise<void>;
  /** Power back after `machine.powerOff()`: everything that ran starts again. */
  powerOn(): Promise<void>;
}

export async function createNode(options: NodeOptions): Promise<ClusterNode> {
  const { name, number, network, folder, cgroup, programs } = options;
  const file = (path: string) => join(folder, path);
  const settings: NodeSettings = {
    name,
    address: network.plan.node(number),
    podRange: network.plan.podsOf(number),
    allPods: network.plan.pods,
    dnsService: network.plan.dnsService,
    cgroup,
    clientCa: file('ca.crt'),
    servingCertificate: file('kubelet.crt'),
    servingKey: file('kubelet.key'),
    kubeconfig: file('kubelet.kubeconfig'),
    proxyKubeconfig: file('kube-proxy.kubeconfig'),
    shim: programs['containerd-shim-runc-v2'],
    runc: programs.runc,
    cniPlugins: options.cniPlugins,
    cniFolder: file('cni'),
    registryFolder: file('registries'),
    resolvConf: file('resolv.conf'),
    fastFailureDetection: options.fastFailureDetection,
  };

  await writeConfiguration(settings, file, options);
  await createCgroup(cgroup);
  const machine = await createMachine({
    name,
    address: settings.address,
    folder,
    network,
    shared: options.sharedLayers,
  });

  const component = (program: NodeProgram, args: readonly string[]) =>
    createComponent({
      name: program,
      command: programs[program],
      args,
      log: join(options.logs, `${name}-${program}.log`),
      machine,
    });
  const components = {
    containerd: component('containerd', ['--config', file('containerd.toml')]),
    kubelet: component('kubelet', [
      `--config=${file('kubelet.yaml')}`,
      `--kubeconfig=${settings.kubeconfig}`,
      `--hostname-override=${name}`,
      `--node-ip=${settings.address}`,
    ]),
    'kube-proxy': component('kube-proxy', [`--config=${file('kube-proxy.yaml')}`]),
  };

  const volumes = createDiskVolumeHost({
    node: name,
    folder: onDisk(machine, '/var/lib/volumes'),
    nodeFolder: '/var/lib/volumes',
    enter: machine.enter,
    reporter: options.reporter,
  });

  const ctr = (args: readonly string[], input?: Readable) =>
    machine.enter(programs.ctr, ['--namespace', 'k8s.io', ...args], { timeout: 300_000, ...(input ? { input } : {}) });

  async function startRuntime(): Promise<void> {
    await machine.powerOn();
    await components.containerd.start();
    await until(`containerd on ${name}`, async () => {
      await components.containerd.assertRunning();
      await ctr(['version']);
      return true;
    });
  }

  return {
    name,
    number,
    machine,
    components,
    volumes,
    startRuntime,
    async join(pki) {
      await writeCredentials(settings, pki, file);
      await components.kubelet.start();
    },
    startProxy: () => components['kube-proxy'].start(),
    async load({ shared, archive }) {
      if (shared.length > 0) {
        const token = randomBytes(4).toString('hex');
        await machine.enter('sh', ['-c', linkScript, 'link', programs.ctr, token, ...shared]);
      }
      // Not by its path: a machine may see an earlier file of that name.
      await ctr(['images', 'import', '--no-unpack', '-'], archive());
    },
    async powerOn() {
      await startRuntime();
      await volumes.restore();
      await Promise.all([components.kubelet.start(), components['kube-proxy'].start()]);
    },
  };
}

const linkScript = `
set -e
ctr=$1; shift
${linking}
link_layers "$@"
`;

async function writeConfiguration(
  settings: NodeSettings,
  file: (path: string) => string,
  { registryAddress, otherRegistries }: Pick<NodeOptions, 'registryAddress' | 'otherRegistries'>,
): Promise<void> {
  const own = registryHosts(registryAddress);
  const registries = Object.entries({
    [clusterRegistryName]: own,
    [registryAddress]: own,
    ...(otherRegistries ? { _default: otherRegistries } : {}),
  }).map(([name, hosts]) => ({ folder: join(settings.registryFolder, name), hosts }));
  const folders = [settings.cniFolder, ...registries.map(({ folder }) => folder)];
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true })));
  await Promise.all([
    writeFile(file('containerd.toml'), containerdToml(settings)),
    writeFile(join(settings.cniFolder, '10-kurator.conflist'), cniConfiguration(settings)),
    ...registries.map(({ folder, hosts }) => writeFile(join(folder, 'hosts.toml'), hosts, { mode: 0o600 })),
    writeFile(file('kubelet.yaml'), kubeletConfiguration(settings)),
    writeFile(file('kube-proxy.yaml'), proxyConfiguration(settings)),
    // Pods that don't use the cluster's DNS have no name server at all: there is none to reach.
    writeFile(settings.resolvConf, ''),
  ]);
}

async function writeCredentials(settings: NodeSettings, pki: Pki, file: (path: string) => string): Promise<void> {
  const { name, address } = settings;
  const serving = issueFor(pki.authority, { ...identities.node(name), names: [name, address] });
  const write = (path: string, text: string) => writeFile(file(path), text, { mode: 0o600 });
  await Promise.all([
    write('ca.crt', pki.authority.pem),
    write('kubelet.crt', serving.pem),
    write('kubelet.key', serving.exportKey()),
    write('kubelet.kubeconfig', await pki.kubeconfig(identities.node(name))),
    write('kube-proxy.kubeconfig', await pki.kubeconfig(identities.proxy)),
  ]);
}
