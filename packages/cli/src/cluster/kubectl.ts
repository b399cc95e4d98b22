/** `kurator cluster kubectl` */
import { withoutProxyForClusters } from '@kurator/testenv';
import type { Action } from '../action.ts';
import { inForeground } from './foreground.ts';
import { type NameOption, runningCluster } from './named-cluster.ts';

export const kubectl: Action<NameOption, [args: string[]]> = async (_, options, args) => {
  const cluster = await runningCluster(options);
  const env = { ...withoutProxyForClusters(process.env), KUBECONFIG: cluster.kubeconfig };
  return await inForeground(cluster.config.programs.kubectl ?? 'kubectl', args, env);
};
