/** `kurator uninstall` */
import { type Client, hasCode } from '@kurator/client';
import type { Action } from '../action.ts';
import { confirm } from '../confirm.ts';
import { describeProject } from '../deploy/describe-project.ts';
import { type UndeployOptions, undeployOperator } from '../deploy/undeploy.ts';
import { inCluster } from '../healer/cluster.ts';
import { kurators } from '../healer/kinds.ts';
import { healerFolder } from '../project/healer-folder.ts';
import { removePlugins } from './plugin.ts';
import { standingOf } from './standing.ts';

interface UninstallOptions extends UndeployOptions {
  yes?: boolean;
}

export const uninstall: Action<UninstallOptions, []> = async (context, options) => {
  const { say, signal } = context;
  const description = await describeProject(healerFolder(), options, signal);
  return await inCluster(options, async ({ client }) => {
    await standingOf(client, description, signal);
    if (!options.dryRun) {
      const also = options.crds ? ` and ALL ${await countOf(client, signal)} Kurators with their Incidents` : '';
      await confirm(`Take Kurator${also} out of the cluster at ${client.config.server}?`, options);
    }
    const code = await undeployOperator(client, description, context, options);
    if (!options.dryRun) for (const path of await removePlugins()) say(`${path} is removed.`);
    return code;
  });
};

async function countOf(client: Client, signal: AbortSignal): Promise<number> {
  try {
    return (await client.list(kurators, { metadataOnly: true, signal })).items.length;
  } catch (error) {
    if (hasCode(error, 'KUR_CLIENT_NOT_FOUND')) return 0;
    throw error;
  }
}
