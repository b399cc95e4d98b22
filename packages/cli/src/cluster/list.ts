/** `kurator cluster list` */
import { type ClusterSummary, listClusters } from '@kurator/testenv';
import type { Action } from '../action.ts';
import { age } from '../terminal/amounts.ts';
import { table } from '../terminal/table.ts';

export const list: Action<{ json?: boolean }, []> = async ({ print, say }, { json }) => {
  const clusters = await listClusters();
  if (json) print(JSON.stringify(clusters, undefined, 2));
  else if (clusters.length === 0) say('There is no cluster. Make one: kurator cluster up');
  else print(listText(clusters));
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
