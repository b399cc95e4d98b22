/** `kurator tour`: something on a real cluster, broken again and again, and kept healthy: a shop, or etcd. */

import { agreeToInstall } from '@kurator/cli/toolchain';
import type { Client } from '@kurator/client';
import { type Action, type ActionContext, announceCleanup, CliError, FAILURE } from '@kurator/command';
import { type Cluster, type ClusterOptions, createCluster } from '@kurator/testenv';
import { showControlPlane } from './control-plane-tour.ts';
import { Narrator } from './narrator.ts';

/** As commander gives them. */
interface TourOptions {
  name: string;
  nodes: number;
  once?: boolean;
  install?: boolean;
}

/** Errors that say that this machine can have no nodes, whatever is installed. */
const noNodes = new Set(['KUR_TESTENV_PLATFORM', 'KUR_TESTENV_NEEDS_ROOT', 'KUR_TESTENV_KERNEL']);

/** What can be shown. */
export const subjects = ['shop', 'etcd'] as const;
export type Subject = (typeof subjects)[number];

export const tour: Action<TourOptions, [subject: Subject]> = async (context, given, subject) => {
  const install = await agreeToInstall(given.install);
  const options = install === undefined ? given : { ...given, install };
  const narrator = new Narrator(context, Date.now());
  announceCleanup({ ...context, say: (text) => narrator.line(text) });
  try {
    return await withNodes(context, options, narrator, subject).catch(async (error: Error & { code?: string }) => {
      if (!noNodes.has(error.code ?? '')) throw error;
      return await withoutNodes(context, options, narrator, error);
    });
  } finally {
    narrator.close();
  }
};

/** Makes what will run, while the cluster comes up. */
type Preparation = (context: Pick<ActionContext, 'reporter' | 'signal'>) => Promise<Show>;
type Show = (stage: {
  cluster: Cluster;
  client: Client;
  narrator: Narrator;
  stays: boolean;
  signal: AbortSignal;
}) => Promise<boolean>;

/** Each is loaded only where it is wanted. */
const preparations: Readonly<Record<Subject, Preparation>> = {
  async shop(context) {
    const [{ shopParts }, { showShop }] = await Promise.all([import('./open-shop.ts'), import('./shop-tour.ts')]);
    const parts = await shopParts(context);
    return async (stage) => await showShop({ ...stage, parts });
  },
  async etcd(context) {
    const [{ etcdParts }, { showEtcd }] = await Promise.all([
      import('./etcd/etcd-parts.ts'),
      import('./etcd/etcd-tour.ts'),
    ]);
    const parts = await etcdParts(context);
    return async (stage) => await showEtcd({ ...stage, parts });
  },
};

async function withNodes(
  context: ActionContext,
  options: TourOptions,
  narrator: Narrator,
  subject: Subject,
): Promise<number> {
  const { signal } = context;
  const { reporter } = narrator;
  narrator.step(
    `Bringing up a Kubernetes cluster on this machine: a real control plane and ${options.nodes} real nodes, and nothing that stays behind.`,
  );
  const building = new AbortController();
  const prepared = preparations[subject]({ reporter, signal: AbortSignal.any([signal, building.signal]) });
  prepared.catch(() => {});
  return await inCluster(context, options, narrator, options.nodes, async (cluster) => {
    await using client = await cluster.client();
    const stays = narrator.screen.width !== undefined && !options.once && !process.env.CI;
    const show = await prepared;
    const isWell = await show({ cluster, client, narrator, stays, signal });
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
