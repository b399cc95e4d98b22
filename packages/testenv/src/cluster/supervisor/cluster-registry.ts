/** The cluster's image registry: a machine of its own on the cluster's network, made when it is first asked for. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestenvError } from '../../error.ts';
import { dockerRegistry } from '../../images/docker-registry.ts';
import { until } from '../../internal/until.ts';
import { which } from '../../internal/which.ts';
import { type Component, createComponent } from '../../machines/component.ts';
import { createMachine, type Machine } from '../../machines/machine.ts';
import type { Network } from '../../machines/network.ts';
import { clusterRegistryName } from '../node/configuration.ts';

/** A cluster's image registry, as its users need to know it. */
export interface ClusterRegistry {
  /** Where images are pushed to, from this machine. */
  readonly url: string;
  /** What image names begin with in pods: nodes know it without DNS. */
  readonly name: string;
}

export interface RunningClusterRegistry extends ClusterRegistry {
  readonly machine: Machine;
  readonly component: Component;
}

export async function startClusterRegistry(
  network: Network,
  folder: string,
  logs: string,
): Promise<RunningClusterRegistry> {
  const command = await which('docker-registry');
  if (!command) {
    throw new TestenvError('KUR_TESTENV_NO_PROGRAM', 'a registry needs docker-registry, which is not installed', {
      remedy: 'apt-get install --no-install-recommends docker-registry',
    });
  }
  const address = `${network.plan.registry}:5000`;
  const machineFolder = join(folder, 'registry');
  await mkdir(machineFolder, { recursive: true });
  const registry = dockerRegistry({ address, folder: join(machineFolder, 'images') });
  const configFile = join(machineFolder, 'config.yml');
  await writeFile(configFile, registry.config);

  const machine = await createMachine({
    name: 'registry',
    address: network.plan.registry,
    folder: machineFolder,
    network,
  });
  try {
    await machine.powerOn();
    const [, ...args] = registry.command(configFile);
    const component = createComponent({
      name: 'docker-registry',
      command,
      args,
      log: join(logs, 'docker-registry.log'),
      machine,
    });
    await component.start();
    await until('the registry to answer', async () => {
      await component.assertRunning();
      return (await fetch(registry.healthUrl)).ok;
    });
    return { url: `http://${address}`, name: clusterRegistryName, machine, component };
  } catch (error) {
    await machine.remove();
    throw error;
  }
}
