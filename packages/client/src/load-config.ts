import { access } from 'node:fs/promises';
import type { ClientConfig } from './config.ts';
import { ClientError } from './error.ts';
import { type InClusterOptions, inClusterConfig } from './in-cluster.ts';
import { homeKubeconfig, type KubeconfigOptions, kubeconfigVariable, loadKubeconfig } from './kubeconfig.ts';

/** Options of {@link loadConfig}. */
export interface LoadConfigOptions extends KubeconfigOptions {
  /** A kubeconfig that was asked for by name, for example on the command line: nothing else is then looked for. */
  kubeconfig?: string | undefined;
  /** Where a pod finds its service account. */
  inCluster?: InClusterOptions;
}

/**
 * The configuration of whoever runs us, a person or a pod: the kubeconfig that was asked for, else `$KUBECONFIG`, else
 * `~/.kube/config`, else the service account of the pod. The first that is there is used, right or wrong.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClientConfig> {
  const named = options.kubeconfig || kubeconfigVariable();
  if (named) return await loadKubeconfig(named, options);
  const home = homeKubeconfig();
  if (await exists(home)) return await loadKubeconfig(home, options);
  return await inClusterConfig(options.inCluster).catch((cause: Error) => {
    throw new ClientError(
      'KUR_CLIENT_KUBECONFIG',
      `no API server is configured: $KUBECONFIG is not set, ${home} does not exist, and ${cause.message}`,
      { cause },
    );
  });
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
