/** A cluster as its users hold it: a name, a folder, a kubeconfig, and a supervisor to ask. */
import { type Client, createClient, loadKubeconfig } from '@kurator/client';
import { createFaults, type Faults } from '../faults/faults.ts';
import { type FromArchiveOptions, imagesFromArchive } from '../images/images-from-archive.ts';
import { type ClusterConfig, clusterFiles } from './cluster-config.ts';
import { askSupervisor } from './control-client.ts';
import { endSupervisor, removeRemains } from './lifetime.ts';
import type { ClusterRegistry } from './supervisor/cluster-registry.ts';
import type { ClusterStatus } from './supervisor/status.ts';

/** A cluster, running or not; whoever holds it can use it and take it down. */
export interface Cluster extends AsyncDisposable {
  readonly name: string;
  readonly config: ClusterConfig;
  /** Everything that belongs to it: `logs/`, `kubeconfig`, its machines' disks. */
  readonly folder: string;
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** A new client as administrator; close it when done. */
  client(): Promise<Client>;
  status(): Promise<ClusterStatus>;
  /**
   * Loads the images of an archive (OCI or `docker save`) into every node, checked first, and gives their full names.
   * `name` is for an archive that names none.
   */
  load(archive: string, options?: FromArchiveOptions): Promise<string[]>;
  /** The cluster's own image registry, started when it is first asked for: push to its `url`, pull by its `name`. */
  registry(): Promise<ClusterRegistry>;
  /** What can be made to go wrong in it: kill, freeze, drop, partition, … */
  readonly faults: Faults;
  /** Takes it down and waits until nothing of it is left. Doing so twice is harmless. */
  down(): Promise<void>;
}

export function clusterAt(folder: string, config: ClusterConfig): Cluster {
  const { kubeconfig, socket } = clusterFiles(folder);
  const ask = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
    askSupervisor<T>(socket, method, path, body);

  async function down(): Promise<void> {
    await endSupervisor(folder, config);
    await removeRemains(folder, config);
  }

  return {
    name: config.name,
    config,
    folder,
    kubeconfig,
    client: async () => createClient({ ...(await loadKubeconfig(kubeconfig)), proxyUrl: '' }),
    status: () => ask('GET', 'status'),
    async load(archive, options) {
      const images = await imagesFromArchive(archive, options);
      for (const { path } of images) await ask('POST', 'images', { archive: path });
      return images.map(({ name }) => name);
    },
    registry: () => ask('POST', 'registry'),
    faults: createFaults(ask),
    down,
    [Symbol.asyncDispose]: down,
  };
}
