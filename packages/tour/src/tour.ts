/** `kurator tour`: a shop on a real cluster, broken again and again, and kept healthy by Kurator. */

import { agreeToInstall } from '@kurator/cli/toolchain';
import { type Action, type ActionContext, announceCleanup, CliError, FAILURE } from '@kurator/command';
import { type Cluster, type ClusterOptions, createCluster } from '@kurator/testenv';
import { showControlPlane } from './control-plane-tour.ts';
import { Narrator } from './narrator.ts';
import { shopParts } from './open-shop.ts';
import { showShop } from './shop-tour.ts';

/** As commander gives them. */
interface TourOptions {
  name: string;
  nodes: number;
  once?: boolean;
  install?: boolean;
}

/** Errors that say that this machine can have no nodes, whatever is installed. */
const noNodes = new Set(['KUR_TESTENV_PLATFORM', 'KUR_TESTENV_NEEDS_ROOT', 'KUR_TESTENV_KERNEL']);

export const tour: Action<TourOptions, []> = async (context, given) => {
  const install = await agreeToInstall(given.install);
  const options = install === undefined ? given : { ...given, install };
  const narrator = new Narrator(context, Date.now());
  announceCleanup({ ...context, say: (text) => narrator.line(text) });
  try {
    return await withNodes(context, options, narrator).catch(async (error: Error & { code?: string }) => {
      if (!noNodes.has(error.code ?? '')) throw error;
      return await withoutNodes(context, options, narrator, error);
    });
  } finally {
    narrator.close();
  }
};

async function withNodes(context: ActionContext, options: TourOptions, narrator: Narrator): Promise<number> {
  const { signal } = context;
  const { reporter } = narrator;
  narrator.step(
    `Bringing up a Kubernetes cluster on this machine: a real control plane and ${options.nodes} real nodes, and nothing that stays behind.`,
  );
  const building = new AbortController();
  const parts = shopParts({ reporter, signal: AbortSignal.any([signal, building.signal]) });
  parts.catch(() => {});
  return await inCluster(context, options, narrator, options.nodes, async (cluster) => {
    await using client = await cluster.client();
    const stays = narrator.screen.width !== undefined && !options.once && !process.env.CI;
    const isWell = await showShop({ cluster, client, parts: await parts, narrator, stays, signal });
    return isWell ? 0 : FAILURE;
  }).finally(() => building.abort());
}

async function withoutNodes(
  context: ActionContext,
  options: TourOptions,
  narrator: Narrator,
  { message }: Error,
): Promise<number> {
  narrator.step(`Only a control plane can be shown, and no service that Kurator keeps healthy, because ${message}.`);
  return await inCluster(context, options, narrator, 0, async (cluster) => {
    await showControlPlane(cluster, narrator, context.signal);
    return 0;
  });
}

/** Takes the cluster down at the end, however that comes. */
async function inCluster(
  { signal }: ActionContext,
  { name, install }: TourOptions,
  narrator: Narrator,
  nodes: number,
  show: (cluster: Cluster) => Promise<number>,
): Promise<number> {
  const { reporter } = narrator;
  const wanted: ClusterOptions = { name, nodes, install, reporter, signal };
  reporter.progress('Starting', undefined);
  const { cluster, created } = await createCluster(wanted).finally(() => reporter.progress('Starting', 1));
  if (!created) throw alreadyThere(name);
  try {
    narrator.step(`Up: Kubernetes ${cluster.config.version}, ${nodes > 0 ? `${nodes} nodes` : 'no nodes'}.`);
    return await show(cluster);
  } finally {
    narrator.close();
    await cluster.down();
    narrator.step('The cluster is down, and nothing of it is left.');
  }
}

function alreadyThere(name: string): CliError {
  return new CliError(
    'KUR_CLI_TOUR',
    `there is a cluster called "${name}" already: perhaps a tour in another terminal`,
    {
      remedy: `end that one, or: kurator cluster down --name ${name}; or give another --name`,
    },
  );
}
