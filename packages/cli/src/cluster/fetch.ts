/** `kurator cluster fetch` */

import type { Action } from '@kurator/command';
import { defaultVersion, type Program, parseVersion, prepareNodes, resolveBinaries } from '@kurator/testenv';
import { agreeToInstall } from './agree-to-install.ts';

/** As commander gives them. */
interface FetchOptions {
  nodes?: boolean;
  install?: boolean;
  binaries?: string;
  verbose?: boolean;
}

/** What any cluster of this machine could need: nodes are only for Linux. */
const programs: readonly Program[] = [
  ...(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'] as const),
  ...(process.platform === 'linux' ? (['kubelet', 'kube-proxy', 'coredns'] as const) : []),
];

export const fetch: Action<FetchOptions, [versions: string[]]> = async (
  { print, reporter, signal },
  options,
  versions,
) => {
  const wanted = (versions.length > 0 ? versions : [defaultVersion]).map(parseVersion);
  const folder = options.binaries ? { folder: options.binaries } : {};
  if (options.nodes) {
    await prepareNodes({ install: await agreeToInstall(options.install), reporter, signal });
    print('What nodes need of this machine: there');
  }
  for (const version of wanted) {
    const found = await resolveBinaries({ version, programs, ...folder, reporter, signal });
    print(`Kubernetes ${found.version}: ${found.source}`);
  }
  return 0;
};
