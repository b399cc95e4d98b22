/** `kurator undeploy` */
import {
  type Client,
  type Deployment,
  hasCode,
  type KubernetesObject,
  Lease,
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
import { inCluster } from '../healer/cluster.ts';
import { selectorText } from '../label-selector.ts';
import { namespaceOf, type OperatorDescription } from '../manifests/description.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { type DescribeOptions, describeProject } from './describe-project.ts';
import { isOurs, othersIn } from './namespace-content.ts';
import { FIELD_MANAGER } from './plan.ts';
import { titleOf } from './plan-text.ts';

/** As commander gives them. */
export interface UndeployOptions extends Pick<DescribeOptions, 'namespace' | 'watch'> {
  context?: string;
  kubeconfig?: string;
  crds?: boolean;
  dryRun?: boolean;
  timeout: string;
}

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
  const doomed = await stillThere(client, doomedOf(description, options.crds ?? false), signal);
  const home = namespaceOf(description);
  const others = await othersIn(client, home, description, signal);
  const goes = (await isOurs(client, home, description, signal)) && others.length === 0;
  if (options.dryRun) {
    for (const each of doomed) print(`- ${titleOf(each)}`);
    if (goes) print(`- Namespace ${home}`);
    print('nothing was deleted');
    return 0;
  }
  // While the operator still runs: who else would do what their finalizers ask for?
  const crds = doomed.filter(({ type }) => type.kind === 'CustomResourceDefinition');
  await deleteAll(client, crds, context, parseDuration(options.timeout));
  await deleteAll(
    client,
    doomed.filter((each) => !crds.includes(each)),
    context,
    parseDuration(options.timeout),
  );
  if (goes) await client.delete(untyped('v1', 'Namespace', { namespaced: false }), { name: home }, { signal });
  print(
    `${description.name} is gone${goes ? '' : `; the namespace ${home} stays${others.length > 0 ? `, with ${others.join(', ')}` : ''}`}.`,
  );
  if (!options.crds) await tellWhatStays(client, description, context);
  return 0;
}

/** In the opposite order of how it was made, and with what the operator has made for itself. */
function doomedOf(description: OperatorDescription, withCrds: boolean): Doomed[] {
  const { name, webhooks } = description;
  const namespace = namespaceOf(description);
  const own = [
    named(Lease, name, namespace),
    // Nobody answers the webhooks any more, and they would refuse every write.
    ...(webhooks ? [named(ValidatingWebhookConfiguration, name), named(MutatingWebhookConfiguration, name)] : []),
    ...(webhooks ? [named(Secret, `${name}-webhooks`, namespace)] : []),
  ];
  const made = operatorManifests({ ...description, createNamespace: false, serviceMonitor: true });
  const all = made.toReversed().map((object) => ({ type: typeOf(object), object }));
  return [...all.filter(({ type }) => withCrds || type.kind !== 'CustomResourceDefinition'), ...own];
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
    const live = await client.find(each.type, { name, namespace }, { signal }).catch((error) => {
      // Nothing can be left of a kind that the server doesn't know.
      if (!hasCode(error, 'KUR_CLIENT_UNKNOWN_KIND')) throw error;
    });
    if (live && (each.isOperators || isWrittenByDeploy(live))) found.push(each);
  }
  return found;
}

/** What somebody else made under the same name is not ours to delete. */
function isWrittenByDeploy({ metadata }: KubernetesObject): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER) ?? false;
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
    await client.delete(type, ref, { signal }).catch((error) => {
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
  for (const { metadata, spec } of crds) {
    if (!(await client.find(CustomResourceDefinition, { name: metadata.name ?? '' }, { signal }))) continue;
    const [version] = spec.versions.filter(({ served }) => served);
    const type = {
      apiVersion: `${spec.group}/${version?.name}`,
      kind: spec.names.kind,
      plural: spec.names.plural,
      namespaced: spec.scope === 'Namespaced',
    };
    const { items } = await client.list<KubernetesObject>(type, { metadataOnly: true, signal });
    const held = items.filter(({ metadata }) => (metadata.finalizers?.length ?? 0) > 0).length;
    say(
      `${metadata.name} stays, with ${items.length} objects${held > 0 ? `, of which ${held} can't be deleted until the operator runs again` : ''}.`,
    );
  }
}
