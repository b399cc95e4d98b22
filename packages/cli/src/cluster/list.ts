/** `kurator cluster list` */

import { type Action, age, table } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import { type ClusterSummary, listClusters } from '@kurator/testenv';

export const list: Action<OutputOptions, []> = async ({ print, say, screen }, options) => {
  const clusters = await listClusters();
  if (isForPrograms(options)) print(await serialised(clusters, options, screen));
  else if (clusters.length === 0) say('There is no cluster. Make one: kurator cluster up');
  else print(options.output === 'name' ? clusters.map(({ name }) => name).join('\n') : listText(clusters));
  return 0;
};

/** Pure. */
export function listText(clusters: readonly ClusterSummary[], now: number = Date.now()): string {
  const rows = clusters.map(({ name, state, version, nodes, createdAt, folder }) => [
    name,
    state,
    version,
    String(nodes),
    age(createdAt, now),
    folder,
  ]);
  return table(['NAME', 'STATE', 'VERSION', 'NODES', 'AGE', 'FOLDER'], rows);
}
