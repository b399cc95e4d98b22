/** `kurator cluster up` */

import { type Action, announceCleanup, duration } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import { type Cluster, type ClusterOptions, createCluster, listClusters } from '@kurator/testenv';
import { agreeToInstall } from './agree-to-install.ts';

/** As commander gives them. */
export interface UpOptions extends OutputOptions {
  name?: string;
  nodes?: number;
  controlPlaneOnly?: boolean;
  version?: string;
  nodeVersion?: string;
  audit?: boolean;
  port?: number;
  binaries?: string;
  install?: boolean;
  fastFailureDetection?: boolean;
  closed?: boolean;
  verbose?: boolean;
}

const DEFAULT_NODES = 1;

export const up: Action<UpOptions, []> = async (context, options) => {
  const { print, say, reporter, screen, signal } = context;
  const name = options.name ?? 'kurator';
  const started = Date.now();
  const exists = (await listClusters()).some((cluster) => cluster.name === name && cluster.state !== 'dead');
  const wanted = clusterOptions(options, { exists });
  const install = exists || wanted.nodes === 0 ? undefined : await agreeToInstall(options.install);
  announceCleanup(context);
  const task = `Bringing up "${name}"`;
  reporter.progress(task, undefined);
  const { cluster, created } = await createCluster({ ...wanted, install, detached: true, reporter, signal }).catch(
    (error: unknown) => {
      if (signal.aborted && !exists) say(`Cleaned up: nothing of the cluster "${name}" is left.`);
      throw error;
    },
  );
  reporter.progress(task, 1);
  print(
    isForPrograms(options)
      ? await serialised(result(cluster, created), options, screen)
      : text(cluster, created, Date.now() - started),
  );
  return 0;
};

/** What the library is asked for. Without `--nodes` and `--closed`, a cluster that is there is right as it is. Pure. */
export function clusterOptions(options: UpOptions, { exists }: { exists: boolean }): ClusterOptions {
  const {
    output: _output,
    verbose: _verbose,
    controlPlaneOnly,
    nodes,
    closed = exists ? undefined : false,
    ...rest
  } = options;
  const count = controlPlaneOnly ? 0 : (nodes ?? (exists ? undefined : defaultNodes(options)));
  return { ...rest, ...(closed === undefined ? {} : { closed }), ...(count === undefined ? {} : { nodes: count }) };
}

/** Only a control plane alone can have a port of its own. */
function defaultNodes({ port }: UpOptions): number {
  return port === undefined ? DEFAULT_NODES : 0;
}

function result({ name, folder, kubeconfig, config }: Cluster, created: boolean) {
  const { version, nodeVersion, nodes, createdAt } = config;
  return { name, created, version, nodeVersion, nodes, createdAt, folder, kubeconfig };
}

function text({ name, kubeconfig, config }: Cluster, created: boolean, took: number): string {
  const nodes =
    config.nodes === 0 ? 'a control plane alone' : config.nodes === 1 ? 'one node' : `${config.nodes} nodes`;
  const how = created ? `is up after ${duration(took)}` : 'is already running';
  const option = name === 'kurator' ? '' : ` --name ${name}`;
  return [
    `The cluster "${name}" ${how}: Kubernetes ${config.version}, ${nodes}.`,
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    `  kurator cluster kubectl${option} -- get ${config.nodes === 0 ? 'namespaces' : 'nodes'}`,
    `  kurator cluster down${option}`,
  ].join('\n');
}
