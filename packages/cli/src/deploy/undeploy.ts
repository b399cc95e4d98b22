/** `kurator undeploy` */
import {
  type Client,
  type Deployment,
  hasCode,
  type KubernetesObject,
  Lease,
  Namespace,
  Pod,
  parseDuration,
  type ResourceType,
  Secret,
  untyped,
  waitUntilGone,
} from '@kurator/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import type { Action, ActionContext } from '../action.ts';
import { confirm } from '../confirm.ts';
import { inCluster } from '../healer/cluster.ts';
import { selectorText } from '../label-selector.ts';
import { namespaceOf, type OperatorDescription } from '../manifests/description.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { type DescribeOptions, describeProject } from './describe-project.ts';
import { deleteInventory, hasMadeNamespace, type Inventory, isWrittenByDeploy, readInventory } from './inventory.ts';
import { findLive } from './kind-of.ts';
import { othersIn } from './namespace-content.ts';
import { titleOf } from './plan-text.ts';

/** As commander gives them. */
export interface UndeployOptions extends Pick<DescribeOptions, 'namespace' | 'watch'> {
  context?: string;
  kubeconfig?: string;
  crds?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  timeout: string;
}

/** Of what is somebody else's in the namespace, so many are named. */
const MOST_NAMED = 10;

/** Something to delete; what isn't there is passed over. */
interface Doomed {
  readonly type: ResourceType;
  readonly object: KubernetesObject;
  /** The operator has made it for itself; all else is ours only if `kurator deploy` wrote it. */
  readonly isOperators?: boolean;
}

export const undeploy: Action<UndeployOptions, [folder: string]> = async (context, options, folder) => {
  const description = await describeProject(folder, options, context.signal);
  return await inCluster(options, async ({ client }) => await undeployOperator(client, description, context, options));
};

/** Takes an operator away, in the opposite order of how it was made. */
export async function undeployOperator(
  client: Client,
  description: OperatorDescription,
  context: ActionContext,
  options: UndeployOptions,
): Promise<number> {
  const { signal, print } = context;
  const inventory = await readInventory(client, description, signal);
  const doomed = await stillThere(client, doomedOf(description, inventory, options.crds ?? false), signal);
  const home = namespaceOf(description);
  const isOurs = await hasMadeNamespace(client, description, inventory, signal);
  const others = isOurs ? await othersIn(client, home, description, signal) : [];
  const goes = isOurs && others.length === 0;
  if (options.dryRun) {
    for (const each of doomed) print(`- ${titleOf(each)}`);
    if (goes) print(`- Namespace ${home}`);
    print('nothing was deleted');
    return 0;
  }
  // While the operator still runs: who else would do what their finalizers ask for?
  const crds = doomed.filter(({ type }) => type.kind === 'CustomResourceDefinition');
  if (crds.length > 0) await confirm(await lossText(client, description, crds, signal), options);
  await deleteAll(client, crds, context, parseDuration(options.timeout));
  await deleteAll(
    client,
    doomed.filter((each) => !crds.includes(each)),
    context,
    parseDuration(options.timeout),
  );
  await deleteInventory(client, description, signal);
  if (goes) {
    const preconditions = { uid: inventory.namespaceUid ?? '' };
    await client.delete(Namespace, { name: home }, { signal, preconditions });
  }
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  const kept = others.length > 0 ? `, with ${others.slice(0, MOST_NAMED).join(', ')}${more}` : '';
  print(`${description.name} is gone${goes ? '' : `; the namespace ${home} stays${kept}`}.`);
  if (!options.crds) await tellWhatStays(client, description, context);
  return 0;
}

/** In the opposite order of how it was made, and with what the operator has made for itself. */
function doomedOf(description: OperatorDescription, inventory: Inventory, withCrds: boolean): Doomed[] {
  const { name, webhooks } = description;
  const namespace = namespaceOf(description);
  const own = [
    named(Lease, name, namespace),
    // Nobody answers the webhooks any more, and they would refuse every write.
    ...(webhooks ? [named(ValidatingWebhookConfiguration, name), named(MutatingWebhookConfiguration, name)] : []),
    ...(webhooks ? [named(Secret, `${name}-webhooks`, namespace)] : []),
  ];
  const manifests = operatorManifests({ ...description, createNamespace: false, serviceMonitor: true });
  // Without an inventory, which earlier versions did not write, it is what they would have made.
  const recorded = inventory.items.length > 0 ? [...description.crds, ...objectsOf(inventory, manifests)] : manifests;
  const all = recorded.toReversed().map((object) => ({ type: typeOf(object), object }));
  return [...all.filter(({ type }) => withCrds || type.kind !== 'CustomResourceDefinition'), ...own];
}

/** What was made, by its uid; with what it is told to be where that is known (the pods of a Deployment are waited for). */
function objectsOf({ items }: Inventory, manifests: readonly KubernetesObject[]): KubernetesObject[] {
  const made = items.filter(({ kind }) => kind !== 'Namespace' && kind !== 'CustomResourceDefinition');
  return made.map(({ apiVersion, kind, name, namespace, uid }) => {
    const same = manifests.find((each) => each.kind === kind && each.metadata.name === name);
    return { ...same, apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}), uid } };
  });
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
  return `Delete ${counts.join(', ')}, in every namespace of the cluster?`;
}

function named(type: ResourceType, name: string, namespace?: string): Doomed {
  const { apiVersion, kind } = type;
  return {
    type,
    object: { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } },
    isOperators: true,
  };
}

function typeOf({ apiVersion = '', kind = '', metadata }: KubernetesObject): ResourceType {
  return untyped(apiVersion, kind, { namespaced: metadata.namespace !== undefined });
}

async function stillThere(client: Client, doomed: readonly Doomed[], signal: AbortSignal): Promise<Doomed[]> {
  const found: Doomed[] = [];
  for (const each of doomed) {
    const { name = '', namespace } = each.object.metadata;
    const live = await findLive(client, each.type, { name, namespace }, signal);
    const { uid } = each.object.metadata;
    if (!live || (uid !== undefined && live.metadata.uid !== uid)) continue;
    if (each.isOperators || isWrittenByDeploy(live)) found.push(each);
  }
  return found;
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
    const ref = { name: object.metadata.name ?? '', namespace: object.metadata.namespace };
    reporter.progress(task, at / doomed.length, titleOf(each));
    const { uid } = object.metadata;
    await client.delete(type, ref, { signal, ...(uid ? { preconditions: { uid } } : {}) }).catch((error) => {
      if (!hasCode(error, 'KUR_CLIENT_NOT_FOUND')) throw error;
    });
    await waitUntilGone(client, type, ref, { timeout, signal });
    // With its rights it could not even say that somebody else may lead.
    if (type.kind === 'Deployment') await untilNoPods(client, object as Deployment, timeout, signal);
  }
  reporter.progress(task, 1);
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
