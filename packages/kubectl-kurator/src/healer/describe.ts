/** `kurator describe` */
import type { Action } from '@kurator/command';
import {
  bare,
  type ClusterOptions,
  inCluster,
  isForPrograms,
  type OutputOptions,
  serialised,
} from '@kurator/command/kube';
import { description } from './description.ts';
import { byBeginning, listed, meantServices } from './find.ts';
import { type Incident, incidents, type Kurator } from './kinds.ts';
import type { Selection } from './placed.ts';

export const describe: Action<ClusterOptions & OutputOptions & Selection, [string[]]> = async (
  context,
  options,
  names,
) =>
  await inCluster(options, async (reached) => {
    const { print, screen, signal } = context;
    const [services, all] = await Promise.all([
      meantServices(reached, names, options, signal),
      listed(reached, incidents, signal),
    ]);
    const described = services.map((kurator) => ({ kurator, past: pastOf(kurator, all) }));
    if (isForPrograms(options)) {
      const data = described.map(({ kurator, past }) => ({ kurator: bare(kurator), incidents: past.map(bare) }));
      print(await serialised(names.length === 1 && data.length === 1 ? data[0] : data, options, screen));
    } else {
      const now = Date.now();
      print(described.map(({ kurator, past }) => description(kurator, past, screen, now)).join('\n\n'));
    }
    return 0;
  });

/** The newest first. */
function pastOf({ metadata }: Kurator, all: readonly Incident[]): Incident[] {
  const isOf = (one: Incident) => one.spec.service === metadata.name && one.metadata.namespace === metadata.namespace;
  return all.filter(isOf).toSorted(byBeginning);
}
