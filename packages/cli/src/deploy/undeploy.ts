/** `kurator undeploy` */
import {
  type Client,
  type Deployment,
  hasCode,
  type KubernetesObject,
  Namespace,
  Pod,
  parseDuration,
  type ResourceType,
  untyped,
  waitUntilGone,
} from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { type Action, type ActionContext, confirm } from '@kurator/command';
import { inCluster, selectorText } from '@kurator/command/kube';
import { findLive } from '../kube/kinds.ts';
import { namespaceOf, type OperatorDescription } from '../manifests/description.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { type DescribeOptions, describeProject } from './describe-project.ts';
import { earlierDeployment } from './earlier-deployment.ts';
import { deleteInventory, type InventoryItem, isWrittenFor, madeNamespace, readInventory } from './inventory.ts';
import { contentOf } from './namespace-content.ts';
import { isMadeByOperator, type OwnObject, ownObjects } from './own-objects.ts';
import { titleOf } from './plan-text.ts';

/** As commander gives them. */
export interface UndeployOptions extends Pick<DescribeOptions, 'namespace' | 'watchNamespace'> {
  context?: string;
  kubeconfig?: string;
  crds?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  timeout: string;
}

/** Of what is somebody else's in the namespace, so many are named. */
const MOST_NAMED = 10;
/** An object that is written all the time, such as the status of a Deployment, is deleted in one of so many tries. */
const MOST_TRIES = 20;

/** Something to delete; what isn't there is passed over. */
interface Doomed {
  readonly type: ResourceType;
  readonly object: KubernetesObject;
  /** Whether what is there by its name is it, and ours. */
  isOurs(live: KubernetesObject): boolean;
}

export const undeploy: Action<UndeployOptions, [folder: string]> = async (context, options, folder) => {
  const description = await describeProject(folder, options, context.signal);
  return await inCluster(options, async ({ client }) => await undeployOperator(client, description, context, options));
};

/**
 * Takes an operator away, in the opposite order of how it was made.
 *
 * @param onceGone What is to be done between the operator's end and that of its kinds, which then are deleted last: for an
 *   operator that would undo it, and that has no finalizers.
 */
export async function undeployOperator(
  client: Client,
  description: OperatorDescription,
  context: ActionContext,
  options: UndeployOptions,
  onceGone?: () => Promise<void>,
): Promise<number> {
  const { signal, print } = context;
  const recorded = await readInventory(client, description, signal);
  const items = recorded?.items ?? (await earlierDeployment(client, description, signal));
  const doomed = await stillThere(client, doomedOf(description, items, options.crds ?? false), signal);
  const home = namespaceOf(description);
  const namespace = await madeNamespace(client, description, recorded, signal);
  const content = namespace && (await contentOf(client, home, description, signal));
  if (options.dryRun) {
    for (const each of doomed) print(`- ${titleOf(each)}`);
    if (content?.others.length === 0) print(`- Namespace ${home}`);
    print('nothing was deleted');
    return 0;
  }
  const timeout = parseDuration(options.timeout);
  const crds = doomed.filter(({ type }) => type.kind === 'CustomResourceDefinition');
  if (crds.length > 0) await confirm(await lossText(client, description, crds, signal), options);
  const kindsGo = async () => await deleteAll(client, crds, context, timeout);
  const rest = doomed.filter((each) => !crds.includes(each));
  const restGoes = async () => await deleteAll(client, rest, context, timeout);
  // While the operator still runs: who else would do what their finalizers ask for?
  const order = onceGone ? [restGoes, onceGone, kindsGo] : [kindsGo, restGoes];
  for (const step of order) await step();
  await deleteInventory(client, description, signal);
  const left = content && namespace ? await removeNamespace(client, description, namespace, content.own, signal) : [];
  print(`${description.name} is gone${left ? `; the namespace ${home} stays${named(left)}` : ''}.`);
  if (!options.crds) await tellWhatStays(client, description, context);
  return 0;
}

/** Unless there is something else in it. @returns What there is; undefined where the namespace goes. */
async function removeNamespace(
  client: Client,
  description: OperatorDescription,
  { metadata }: Namespace,
  own: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { name, uid = '' } = metadata;
  // Much may have come since it was looked at, with a question in between.
  const { others } = await contentOf(client, name, description, signal, own);
  if (others.length > 0) return others;
  await client.delete(Namespace, { name }, { signal, preconditions: { uid } }).catch(unlessGone);
  return undefined;
}

function unlessGone(error: unknown): void {
  if (!hasCode(error, 'KUR_CLIENT_NOT_FOUND')) throw error;
}

function named(others: readonly string[]): string {
  if (others.length === 0) return '';
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  return `, with ${others.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/** In the opposite order of how it was made, and with what the operator has made for itself. */
function doomedOf(
  description: OperatorDescription,
  items: readonly InventoryItem[],
  withCrds: boolean,
): readonly Doomed[] {
  const manifests = operatorManifests(description);
  const made = items.filter(({ kind }) => kind !== 'Namespace' && kind !== 'CustomResourceDefinition');
  return [
    ...made.toReversed().map((item) => doomedItem(item, manifests, description)),
    ...(withCrds ? description.crds : []).toReversed().map((crd) => doomedCrd(crd, description)),
    ...ownObjects(description).map((own) => doomedOwn(own, description)),
  ];
}

/** With what it is told to be where that is known: the pods of a Deployment are waited for. */
function doomedItem(
  { apiVersion, kind, name, namespace, uid }: InventoryItem,
  manifests: readonly KubernetesObject[],
  description: OperatorDescription,
): Doomed {
  const same = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  return {
    type: untyped(apiVersion, kind, { namespaced: namespace !== undefined }),
    object: { ...same, apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } },
    isOurs: (live) => (!uid || live.metadata.uid === uid) && isWrittenFor(live, description),
  };
}

function doomedCrd(object: CustomResourceDefinition, description: OperatorDescription): Doomed {
  return { type: CustomResourceDefinition, object, isOurs: (live) => isWrittenFor(live, description) };
}

function doomedOwn({ type, name, namespace }: OwnObject, description: OperatorDescription): Doomed {
  const { apiVersion, kind } = type;
  return {
    type,
    object: { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } },
    isOurs: (live) => isMadeByOperator(live, description),
  };
}

/** What would be lost with the kinds. */
async function lossText(
  client: Client,
  { crds }: OperatorDescription,
  doomed: readonly Doomed[],
  signal: AbortSignal,
): Promise<string> {
  const names = new Set(doomed.map(({ object }) => object.metadata.name));
  const counts: string[] = [];
  for (const crd of crds.filter(({ metadata }) => names.has(metadata.name))) {
    counts.push(`${crd.metadata.name} with ${(await objectsOfKind(client, crd, signal)).length} objects`);
  }
  return `Delete ${counts.join(', ')}, in every namespace of the cluster? What these objects own goes with them.`;
}

async function stillThere(client: Client, doomed: readonly Doomed[], signal: AbortSignal): Promise<Doomed[]> {
  const found: Doomed[] = [];
  for (const each of doomed) if (await liveOf(client, each, signal)) found.push(each);
  return found;
}

async function liveOf(
  client: Client,
  { type, object, isOurs }: Doomed,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  const live = await findLive(client, type, object.metadata, signal);
  return live && isOurs(live) ? live : undefined;
}

async function deleteAll(
  client: Client,
  doomed: readonly Doomed[],
  { reporter, signal }: ActionContext,
  timeout: number,
): Promise<void> {
  const task = 'Deleting';
  for (const [at, each] of doomed.entries()) {
    const { type, object } = each;
    reporter.progress(task, at / doomed.length, titleOf(each));
    if (!(await deleteOurs(client, each, signal))) continue;
    await waitUntilGone(client, type, object.metadata, { timeout, signal });
    // With its rights it could not even say that somebody else may lead.
    if (type.kind === 'Deployment') await untilNoPods(client, object as Deployment, timeout, signal);
  }
  reporter.progress(task, 1);
}

/** Exactly what was seen to be ours: what is written meanwhile is looked at again. @returns Whether it was there. */
async function deleteOurs(client: Client, doomed: Doomed, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const live = await liveOf(client, doomed, signal);
    if (!live) return false;
    const { uid = '', resourceVersion = '' } = live.metadata;
    try {
      await client.delete(doomed.type, live.metadata, { signal, preconditions: { uid, resourceVersion } });
      return true;
    } catch (error) {
      if (hasCode(error, 'KUR_CLIENT_NOT_FOUND')) return true;
      if (!hasCode(error, 'KUR_CLIENT_CONFLICT') || tries === MOST_TRIES) throw error;
    }
  }
}

async function untilNoPods(
  client: Client,
  { metadata, spec }: Deployment,
  timeout: number,
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = selectorText(spec?.selector);
  const { items } = await client.list(Pod, { namespace: metadata.namespace, labelSelector, signal });
  for (const { metadata } of items) {
    await waitUntilGone(client, Pod, { name: metadata.name ?? '', namespace: metadata.namespace }, { timeout, signal });
  }
}

async function tellWhatStays(
  client: Client,
  { crds }: OperatorDescription,
  { say, signal }: ActionContext,
): Promise<void> {
  for (const crd of crds) {
    const { metadata } = crd;
    if (!(await client.find(CustomResourceDefinition, { name: metadata.name ?? '' }, { signal }))) continue;
    const items = await objectsOfKind(client, crd, signal);
    const held = items.filter(({ metadata }) => (metadata.finalizers?.length ?? 0) > 0).length;
    say(
      `${metadata.name} stays, with ${items.length} objects${held > 0 ? `, of which ${held} can't be deleted until the operator runs again` : ''}.`,
    );
  }
}

async function objectsOfKind(
  client: Client,
  { spec }: CustomResourceDefinition,
  signal: AbortSignal,
): Promise<KubernetesObject[]> {
  const [version] = spec.versions.filter(({ served }) => served);
  const type = {
    apiVersion: `${spec.group}/${version?.name}`,
    kind: spec.names.kind,
    plural: spec.names.plural,
    namespaced: spec.scope === 'Namespaced',
  };
  return (await client.list<KubernetesObject>(type, { metadataOnly: true, signal })).items;
}
