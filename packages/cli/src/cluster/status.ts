/** `kurator cluster status` */

import { type Action, mebibytes, table } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import type { ClusterStatus } from '@kurator/testenv';
import { type NameOption, runningCluster } from './named-cluster.ts';

export const status: Action<NameOption & OutputOptions, []> = async ({ print, screen }, options) => {
  const cluster = await runningCluster(options);
  const found = await cluster.status();
  const isRaw = isForPrograms(options);
  print(isRaw ? await serialised(found, options, screen) : `${statusText(found)}\n\nfolder: ${cluster.folder}`);
  return 0;
};

/** Pure. */
export function statusText({
  name,
  version,
  nodeVersion,
  server,
  network,
  nodes,
  components,
  supervisor,
}: ClusterStatus): string {
  const skew = nodes.length > 0 && nodeVersion !== version ? ` (nodes ${nodeVersion})` : '';
  const parts = [
    ...components.map((part) => [
      part.name,
      part.machine ?? '',
      part.running ? 'running' : 'stopped',
      part.pid === undefined ? '' : String(part.pid),
      part.memory === undefined ? '' : mebibytes(part.memory),
    ]),
    ['supervisor', '', 'running', String(supervisor.pid), mebibytes(supervisor.memory)],
  ];
  const machines = nodes.map((node) => [node.name, node.on ? 'on' : 'off', node.address, node.pods]);
  return [
    `${name}: Kubernetes ${version}${skew} at ${server}${network ? `, network ${network}` : ''}`,
    ...(machines.length > 0 ? ['', table(['NODE', 'POWER', 'ADDRESS', 'PODS'], machines)] : []),
    '',
    table(['COMPONENT', 'MACHINE', 'STATE', 'PID', 'MEMORY'], parts),
  ].join('\n');
}
