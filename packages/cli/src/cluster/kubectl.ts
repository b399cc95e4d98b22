/** `kurator cluster kubectl` */

import type { Action } from '@kurator/command';
import { withoutProxyForClusters } from '@kurator/testenv';
import { inForeground } from './foreground.ts';
import { type NameOption, runningCluster } from './named-cluster.ts';

export const kubectl: Action<NameOption, [args: string[]]> = async (_, options, args) => {
  const cluster = await runningCluster(options);
  const env = { ...withoutProxyForClusters(process.env), KUBECONFIG: cluster.kubeconfig };
  return await inForeground(cluster.config.programs.kubectl ?? 'kubectl', args, env);
};
