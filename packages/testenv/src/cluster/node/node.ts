/** One node: a machine with containerd, kubelet and kube-proxy on it. */
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createDiskVolumeHost, type VolumeHost } from '../../addons/volumes/index.ts';
import { registryHosts } from '../../images/registry.ts';
import { until } from '../../internal/until.ts';
import type { Reporter } from '../../reporter.ts';
import { issueFor } from '../certificates.ts';
import { type Component, createComponent } from '../component.ts';
import { identities, type Pki } from '../control-plane/pki.ts';
import { createCgroup } from '../machines/cgroups.ts';
import { createMachine, type Machine, onDisk } from '../machines/machine.ts';
import type { Network } from '../machines/network.ts';
import {
  cniConfiguration,
  containerdToml,
  kubeletConfiguration,
  type NodeSettings,
  proxyConfiguration,
  registryName,
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
  /** `host:port`. */
  registryAddress: string;
  /** The `hosts.toml` for all other registries; undefined where there is no way to them. */
  otherRegistries?: string | undefined;
  fastFailureDetection: boolean;
  reporter: Reporter;
}

export interface ClusterNode {
  readonly name: string;
  readonly number: number;
  readonly machine: Machine;
  readonly components: Readonly<Record<NodeProgram, Component>>;
  readonly volumes: VolumeHost;
  /** Starts containerd and waits until it takes orders; needs no API server. */
  startRuntime(): Promise<void>;
  /** Starts what talks to the API server. */
  join(pki: Pki): Promise<void>;
  /** Loads an OCI or docker archive. */
  load(archive: string): Promise<void>;
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
  const machine = await createMachine({ name, address: settings.address, folder, network });

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
    await until(
      `containerd on ${name}`,
      async () => {
        await components.containerd.assertRunning();
        await ctr(['version']);
        return true;
      },
      { interval: 50 },
    );
  }

  async function startAgents(): Promise<void> {
    await Promise.all([components.kubelet.start(), components['kube-proxy'].start()]);
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
      await startAgents();
    },
    async load(archive) {
      // Not by its path: a machine may see an earlier file of that name.
      await ctr(['images', 'import', '--no-unpack', '-'], createReadStream(archive));
    },
    async powerOn() {
      await startRuntime();
      await volumes.restore();
      await startAgents();
    },
  };
}

async function writeConfiguration(
  settings: NodeSettings,
  file: (path: string) => string,
  { registryAddress, otherRegistries }: Pick<NodeOptions, 'registryAddress' | 'otherRegistries'>,
): Promise<void> {
  const own = registryHosts(registryAddress);
  const registries = Object.entries({
    [registryName]: own,
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
