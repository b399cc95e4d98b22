/** `kurator uninstall` */

import { describeProject, type UndeployOptions, undeployOperator } from '@kurator/cli/toolchain';
import { type Client, type Deployment, hasCode } from '@kurator/client';
import { type Action, CliError, confirm } from '@kurator/command';
import { inCluster } from '@kurator/command/kube';
import { kurators } from '../healer/kinds.ts';
import { deleteSwitch, readSwitch } from '../healer/switch.ts';
import { healerFolder } from './healer-folder.ts';
import { removePlugins } from './plugin.ts';
import { childrenOfKurators, childTitle, releasable, releaseAll } from './release.ts';
import { elsewhereOf, standingOf } from './standing.ts';

interface UninstallOptions extends UndeployOptions {
  deleteWorkloads?: boolean;
  yes?: boolean;
}

export const uninstall: Action<UninstallOptions, []> = async (context, options) => {
  const { print, say, signal } = context;
  if (options.deleteWorkloads && !options.crds) {
    throw new CliError(
      'KUR_CLI_USAGE',
      '--delete-workloads is for --crds: without it Kurators stay, and their workloads too',
    );
  }
  const description = await describeProject(healerFolder(), options, signal);
  return await inCluster(options, async ({ client }) => {
    await standingOf(client, description, signal);
    const elsewhere = await elsewhereOf(client, description, signal);
    const reached = { client, elsewhere, signal };
    const fates = options.crds ? await fatesWithCrds(reached, options) : await fatesWithoutCrds(reached);
    for (const line of fates.lines) print(line);
    if (!options.dryRun) {
      await confirm(`Take Kurator${fates.also} out of the cluster at ${client.config.server}?`, options);
    }
    // Asked for already, with all that would be lost.
    const asked = { ...options, yes: true };
    const code = await undeployOperator(client, description, context, asked, fates.onceGone);
    if (!options.dryRun) for (const path of await removePlugins()) say(`${path} is removed.`);
    return code;
  });
};

interface Surroundings {
  readonly client: Client;
  /** Kurators of other namespaces; undefined where nobody knows. */
  readonly elsewhere: readonly Deployment[] | undefined;
  readonly signal: AbortSignal;
}

/** What becomes of that which is neither the operator nor its kinds. */
interface Fates {
  /** For people, before they are asked. */
  readonly lines: readonly string[];
  /** What else goes, in the question. */
  readonly also: string;
  readonly onceGone: () => Promise<void>;
}

async function fatesWithoutCrds({ client, elsewhere, signal }: Surroundings): Promise<Fates> {
  const live = await readSwitch(client, signal);
  // While another Kurator obeys it, or might, it is not ours to take away.
  const goes = elsewhere?.length === 0;
  const title = `KuratorSwitch cluster (${live?.mode}${live?.by ? `, set by ${live.by}` : ''})`;
  const line = goes ? `- ${title}` : `= ${title} stays: another Kurator may obey it`;
  return {
    lines: live ? [line] : [],
    also: '',
    onceGone: async () => {
      if (live && goes) await deleteSwitch(client, signal);
    },
  };
}

async function fatesWithCrds(
  { client, elsewhere, signal }: Surroundings,
  { deleteWorkloads = false }: UninstallOptions,
): Promise<Fates> {
  refuseWhereNeeded(elsewhere);
  const kurators = ` and ALL ${await countOf(client, signal)} Kurators with their Incidents`;
  if (deleteWorkloads) {
    const also = `${kurators}, with every workload that they have made,`;
    return { lines: await lost(client, signal), also, onceGone: async () => {} };
  }
  const children = await releasable(client, signal);
  return {
    lines: children.map((child) => `= ${childTitle(child)} stays as it is, and is owned by no Kurator any more`),
    also: kurators,
    onceGone: async () => await releaseAll(client, signal),
  };
}

/** The kinds are everybody's. */
function refuseWhereNeeded(elsewhere: readonly Deployment[] | undefined): void {
  const [other] = elsewhere ?? [];
  if (!other) return;
  throw new CliError(
    'KUR_CLI_CONFLICT',
    `Kurator also runs in the namespace ${other.metadata.namespace}, with the same CRDs`,
    {
      remedy: 'take that one out first; or leave --crds out',
    },
  );
}

async function lost(client: Client, signal: AbortSignal): Promise<string[]> {
  try {
    return (await childrenOfKurators(client, signal)).map((child) => `- ${childTitle(child)}`);
  } catch (error) {
    if (!hasCode(error, 'KUR_CLIENT_FORBIDDEN')) throw error;
    return ['- every Deployment, StatefulSet, Service and ConfigMap that a Kurator has made: you may not list them'];
  }
}

async function countOf(client: Client, signal: AbortSignal): Promise<number> {
  try {
    return (await client.list(kurators, { metadataOnly: true, signal })).items.length;
  } catch (error) {
    if (hasCode(error, 'KUR_CLIENT_UNKNOWN_KIND')) return 0;
    throw error;
  }
}
