/** `kurator cluster down` */

import { type Action, confirm, duration } from '@kurator/command';
import { listClusters, openCluster } from '@kurator/testenv';

interface DownOptions {
  name?: string;
  all?: boolean;
  yes?: boolean;
}

export const down: Action<DownOptions, []> = async ({ print, reporter, signal }, options) => {
  const names = (await listClusters()).map(({ name }) => name);
  if (names.length === 0 && options.name === undefined) {
    print('There is no cluster to take down.');
    return 0;
  }
  if (options.all) await confirm(`Take every cluster of yours down (${names.join(', ')})?`, { yes: options.yes });
  for (const name of options.all ? names : [options.name ?? 'kurator']) {
    signal.throwIfAborted();
    const started = Date.now();
    const task = `Taking "${name}" down`;
    const cluster = await openCluster(name);
    reporter.progress(task, undefined);
    await cluster.down();
    reporter.progress(task, 1);
    print(`The cluster "${name}" is gone after ${duration(Date.now() - started)}.`);
  }
  return 0;
};
