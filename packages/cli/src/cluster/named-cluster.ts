/** The cluster that a command is about, in a state in which the command makes sense. */

import { CliError } from '@kurator/command';
import { type Cluster, listClusters, openCluster } from '@kurator/testenv';

export interface NameOption {
  name?: string;
}

/** Takes orders, or the error says why not. */
export async function runningCluster({ name = 'kurator' }: NameOption): Promise<Cluster> {
  const cluster = await openCluster(name);
  const state = (await listClusters()).find((each) => each.name === name)?.state ?? 'dead';
  if (state === 'running') return cluster;
  const [what, remedy] = notRunning[state];
  throw new CliError('KUR_CLI_NOT_RUNNING', `the cluster "${name}" ${what}`, { remedy: remedy(name) });
}

const notRunning = {
  starting: [
    'is just being started or taken down',
    (name: string) => `wait a moment, or see kurator cluster logs supervisor --name ${name}`,
  ],
  dead: [
    'is dead: its supervisor was killed, or the machine was rebooted',
    (name: string) => `kurator cluster up --name ${name} starts it anew, down removes what is left`,
  ],
  elsewhere: [
    'was made on another machine, or in a container that is gone',
    (name: string) => `use it there; kurator cluster down --name ${name} removes what is here`,
  ],
} as const;
