/** `kurator cluster kubeconfig` */
import { readFile } from 'node:fs/promises';
import type { Action } from '@kurator/command';
import { type NameOption, runningCluster } from './named-cluster.ts';

interface KubeconfigOptions extends NameOption {
  path?: boolean;
}

export const kubeconfig: Action<KubeconfigOptions, []> = async ({ print }, options) => {
  const cluster = await runningCluster(options);
  print(options.path ? cluster.kubeconfig : (await readFile(cluster.kubeconfig, 'utf8')).trimEnd());
  return 0;
};
