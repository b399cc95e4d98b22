/** Opens the shop: Kurator and the four services run in the cluster, alerts arrive here, and customers come. */

import { type Client, Service } from '@kurator/client';
import { type ActionContext, CliError } from '@kurator/command';
import { healerFolder } from '@kurator/kubectl-kurator';
import type { Cluster, ImageArchive } from '@kurator/testenv';
import { type AlertSink, openAlertSink } from './alert-sink.ts';
import { type Customers, RATE, sendCustomers } from './customers.ts';
import type { Narrator } from './narrator.ts';
import { applyAll, loadImages, type OperatorParts, operatorParts, PATIENCE } from './operator-parts.ts';
import { NAMESPACE, services, shopImage, shopManifests } from './shop.ts';
import { type ShopWatch, watchShop } from './shop-watch.ts';
import type { Storyteller } from './storyteller.ts';

/** Everything that is run, made before there is a place to run it. */
export interface ShopParts {
  readonly healer: OperatorParts;
  readonly image: ImageArchive;
}

/** The shop, open. */
export interface Shop {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly watch: ShopWatch;
  readonly sink: AlertSink;
  readonly customers: Customers;
}

/** What it is opened with. */
export interface OpenOptions {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly parts: ShopParts;
  readonly narrator: Narrator;
  readonly storyteller: Storyteller;
  readonly signal: AbortSignal;
}

/** Builds both images. */
export async function shopParts(context: Pick<ActionContext, 'reporter' | 'signal'>): Promise<ShopParts> {
  const task = 'Building images';
  context.reporter.progress(task, undefined);
  try {
    const [healer, image] = await Promise.all([operatorParts(healerFolder(), context), shopImage(context)]);
    return { healer, image };
  } finally {
    context.reporter.progress(task, 1);
  }
}

/** Resolves when all are well. What it has opened is closed at its end, however that comes. */
export async function inShop<Result>(options: OpenOptions, act: (shop: Shop) => Promise<Result>): Promise<Result> {
  const { cluster, client, parts, narrator, storyteller } = options;
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  const { host = '127.0.0.1' } = await cluster.status();
  const sink = await openAlertSink(host, storyteller.onAlert);
  let customers: Customers | undefined;
  try {
    await loadImages(cluster, [parts.healer.image, parts.image], narrator);
    await applyAll(client, [...parts.healer.manifests, ...shopManifests(sink.url)], signal);
    narrator.step(
      `Kurator runs in it as a pod, from an image built here; so does a shop of ${services.length} services, which it looks after.`,
    );
    const watch = watchShop(client, storyteller, signal);
    await untilAllWell(watch, narrator);
    customers = sendCustomers(await addresses(cluster), await frontPort(client, signal));
    narrator.step(`All are well. Customers come in at front now: ${RATE} requests a second, through its Service.`);
    return await act({ cluster, client, watch, sink, customers });
  } finally {
    customers?.stop();
    closing.abort(new Error('the shop is closed'));
    sink.close();
  }
}

async function untilAllWell(watch: ShopWatch, { reporter }: Narrator): Promise<void> {
  const task = 'Waiting until all are well';
  const areWell = () => {
    const well = watch.provenServices();
    reporter.progress(task, Math.min(0.99, well / services.length), `${well} of ${services.length} services`);
    return well === services.length;
  };
  const isSo = await watch.until(areWell, PATIENCE);
  reporter.progress(task, 1);
  if (isSo) return;
  const states = watch.health().map(({ name, state = 'unknown' }) => `${name} is ${state}`);
  throw new CliError('KUR_CLI_TOUR', `the shop was not well after ${PATIENCE / 1000} s: ${states.join(', ')}`, {
    remedy: 'kurator doctor says whether this machine lacks something',
  });
}

async function addresses(cluster: Cluster): Promise<string[]> {
  return (await cluster.status()).nodes.map(({ address }) => address);
}

async function frontPort(client: Client, signal: AbortSignal): Promise<number> {
  const { spec } = await client.get(Service, { name: services[0]?.name ?? '', namespace: NAMESPACE }, { signal });
  return spec?.ports?.[0]?.nodePort ?? 0;
}
