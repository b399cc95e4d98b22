/**
 * What `kurator deploy` has made for an operator, kept in the cluster beside it: so the next deployment can take away what
 * it doesn't need any more, and `kurator undeploy` takes away exactly that. Each object is known by its uid: one of the
 * same name that somebody has made since is his.
 */
import { type Client, ConfigMap, hasCode, type KubernetesObject, Namespace } from '@kurator/client';
import { labelsOf, namespaceOf, type OperatorDescription } from '../manifests/description.ts';

/** In whose name `kurator deploy` writes. */
export const FIELD_MANAGER = 'kurator-deploy';

/** One object. */
export interface InventoryItem {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
}

/** All of one operator. */
export interface Inventory {
  readonly items: readonly InventoryItem[];
  /** The uid of the operator's namespace, if `kurator deploy` has made it. */
  readonly namespaceUid?: string | undefined;
}

const KEY = 'inventory.json';

/** Kinds that can be made anew from the operator's code at any time; others are never taken away for want of use. */
const prunable = new Set([
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'Service',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'ServiceMonitor',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

/** Nothing where there is none. */
export async function readInventory(
  client: Client,
  description: OperatorDescription,
  signal: AbortSignal,
): Promise<Inventory> {
  const found = await client.find(ConfigMap, refOf(description), { signal });
  const text = found?.data?.[KEY];
  return text ? (JSON.parse(text) as Inventory) : { items: [] };
}

export async function writeInventory(
  client: Client,
  description: OperatorDescription,
  { items, namespaceUid }: Inventory,
  signal: AbortSignal,
): Promise<void> {
  const text = JSON.stringify({ items, ...(namespaceUid ? { namespaceUid } : {}) }, undefined, 1);
  const metadata = { ...refOf(description), labels: labelsOf(description) };
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [KEY]: text } } as const;
  await client.apply(ConfigMap, manifest, { fieldManager: FIELD_MANAGER, force: true, signal });
}

export async function deleteInventory(client: Client, description: OperatorDescription, signal: AbortSignal) {
  await client.delete(ConfigMap, refOf(description), { signal }).catch((error) => {
    if (!hasCode(error, 'KUR_CLIENT_NOT_FOUND')) throw error;
  });
}

/** What somebody else made under the same name is not ours to delete, whatever an inventory says. */
export function isWrittenByDeploy({ metadata }: KubernetesObject): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER) ?? false;
}

/** Whether the namespace is the one that was made for the operator. */
export async function hasMadeNamespace(
  client: Client,
  description: OperatorDescription,
  { namespaceUid }: Inventory,
  signal: AbortSignal,
): Promise<boolean> {
  if (!namespaceUid) return false;
  const found = await client.find(Namespace, { name: namespaceOf(description) }, { signal });
  return found?.metadata.uid === namespaceUid;
}

/** What an earlier deployment has made and this one doesn't want; bindings before the roles that they are of. */
export function unwanted({ items }: Inventory, wanted: readonly KubernetesObject[]): InventoryItem[] {
  const keys = new Set(wanted.map(({ kind, metadata }) => keyOf({ kind, ...metadata })));
  return items.filter((item) => prunable.has(item.kind) && !keys.has(keyOf(item))).toReversed();
}

export function itemOf({ apiVersion, kind, metadata }: KubernetesObject, uid: string): InventoryItem {
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}), uid };
}

/** The items of both, those of the second instead of the first where they are of the same name. */
export function merged(before: readonly InventoryItem[], after: readonly InventoryItem[]): InventoryItem[] {
  return [...new Map([...before, ...after].map((item) => [keyOf(item), item])).values()];
}

function keyOf({ kind, namespace = '', name }: { kind: string; namespace?: string | undefined; name: string }): string {
  return `${kind}/${namespace}/${name}`;
}

function refOf(description: OperatorDescription) {
  return { name: `${description.name}-inventory`, namespace: namespaceOf(description) };
}
