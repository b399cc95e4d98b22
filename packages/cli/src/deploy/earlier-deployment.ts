/**
 * What a deployment has made that left no inventory, as those of earlier versions did: looked up by the names that its objects have,
 * wherever the Deployment that is there says that it works.
 */
import { type Client, type ClusterRoleBinding, Deployment, type KubernetesObject, untyped } from '@kurator/client';
import { findLive } from '../kube/kinds.ts';
import { namespaceOf, type OperatorDescription } from '../manifests/description.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { type InventoryItem, isWrittenFor, itemOf, merged } from './inventory.ts';

/** All but kinds and the namespace, in the order in which it was made. */
export async function earlierDeployment(
  client: Client,
  description: OperatorDescription,
  signal: AbortSignal,
): Promise<InventoryItem[]> {
  const home = namespaceOf(description);
  const deployment = await client.find(Deployment, { name: description.name, namespace: home }, { signal });
  const found: KubernetesObject[] = [];
  for (const { apiVersion, kind, name, namespace } of possibleItems(description, watchedBy(deployment))) {
    const type = untyped(apiVersion, kind, { namespaced: namespace !== undefined });
    const live = await findLive(client, type, { name, namespace }, signal);
    if (live && isWrittenFor(live, description)) found.push(live);
  }
  // An operator of the same name that lives in another namespace has its rights under the same names.
  const others = new Set(found.filter((object) => bindsElsewhere(object, home)).map(titleOfRights));
  const ours = found.filter((object) => !others.has(titleOfRights(object)));
  return ours.map((object) => itemOf(object, object.metadata.uid));
}

/** With every option that adds something, and everywhere that it may have worked. */
function possibleItems(description: OperatorDescription, watched: readonly string[]): InventoryItem[] {
  const { namespaces = [], ...rest } = description;
  const whole = { ...rest, createNamespace: false, serviceMonitor: true, networkPolicy: true, referencePolicy: true };
  const narrowed = { ...whole, namespaces: [...new Set([...namespaces, ...watched])] };
  return merged(itemsOf(narrowed), itemsOf(whole)).filter(({ kind }) => kind !== 'CustomResourceDefinition');
}

function itemsOf(description: OperatorDescription): InventoryItem[] {
  return operatorManifests(description).map((object) => itemOf(object, undefined));
}

function watchedBy(deployment: Deployment | undefined): string[] {
  const variables = deployment?.spec?.template.spec?.containers.flatMap(({ env = [] }) => env) ?? [];
  const watched = variables.find(({ name }) => name === 'WATCH_NAMESPACE')?.value ?? '';
  return watched.split(',').filter((name) => name !== '');
}

function bindsElsewhere(object: KubernetesObject, home: string): boolean {
  if (object.kind !== 'ClusterRoleBinding' && object.kind !== 'RoleBinding') return false;
  const { subjects = [] } = object as ClusterRoleBinding;
  return subjects.every(({ namespace }) => namespace !== home);
}

/** The same for a role and its binding. */
function titleOfRights({ kind, metadata: { name, namespace = '' } }: KubernetesObject): string {
  return `${kind.replace(/Binding$/, '')} ${namespace}/${name}`;
}
