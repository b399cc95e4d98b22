/** `kurator cluster load` */
import { type Action, CliError, withNamedFile } from '@kurator/command';
import { type NameOption, runningCluster } from './named-cluster.ts';

/** As commander gives them. */
interface LoadOptions extends NameOption {
  as?: string;
}

export const load: Action<LoadOptions, [archive: string]> = async ({ print, reporter, signal }, options, archive) => {
  const cluster = await runningCluster(options);
  if (cluster.config.nodes === 0) {
    throw new CliError('KUR_CLI_NO_NODES', `the cluster "${cluster.name}" has no node to load an image into`, {
      remedy: 'make one with nodes: kurator cluster up --name NAME --nodes 1',
    });
  }
  const task = `Loading ${archive}`;
  reporter.progress(task, undefined);
  const load = async (path: string) => await cluster.load(path, options.as ? { name: options.as } : {});
  const names = await withNamedFile('archive', archive, load, { signal });
  reporter.progress(task, 1);
  for (const name of names) print(name);
  return 0;
};
