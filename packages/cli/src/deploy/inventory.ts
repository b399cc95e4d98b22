/**
 * What `kurator deploy` has made for an operator, kept in the cluster beside it: so the next deployment can take away what
 * it doesn't need any more, and `kurator undeploy` takes away exactly that. Each object is known by its uid: one of the
 * same name that somebody has made since is his.
 */
import { type Client, ConfigMap, hasCode, type KubernetesObject, Namespace } from '@kurator/client';
import { CliError } from '@kurator/command';
import { labelsOf, namespaceOf, type OperatorDescription, selectorOf } from '../manifests/description.ts';

/** In whose name `kurator deploy` writes. */
export const FIELD_MANAGER = 'kurator-deploy';

/** One object. */
export interface InventoryItem {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  /** None while it is about to be made: then it is what `kurator deploy` wrote for the operator under that name. */
  readonly uid?: string | undefined;
}

/** All of one operator. */
export interface Inventory {
  readonly items: readonly InventoryItem[];
  /** The uid of the operator's namespace, if `kurator deploy` has made it. */
  readonly namespaceUid?: string | undefined;
}

const KEY = 'inventory.json';
/** On a namespace that was made for an operator, from its first moment. */
const MADE_FOR = 'kurator.sh/made-for';

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

/** Undefined where there is none. */
export async function readInventory(
  client: Client,
  description: OperatorDescription,
  signal: AbortSignal,
): Promise<Inventory | undefined> {
  const reference = refOf(description);
  const found = await client.find(ConfigMap, reference, { signal });
  if (!found) return undefined;
  const inventory = isWrittenFor(found, description) ? parsed(found.data?.[KEY] ?? '') : undefined;
  if (inventory) return inventory;
  const { name, namespace } = reference;
  const what = `the ConfigMap ${namespace}/${name} is not the inventory that \`kurator deploy\` wrote`;
  throw new CliError('KUR_CLI_INVENTORY', `${what}: nothing was changed`, {
    remedy: `put it back as it was; or delete it, and what there is will be found by its names: kubectl delete configmap -n ${namespace} ${name}`,
  });
}

function parsed(text: string): Inventory | undefined {
  try {
    const { items, namespaceUid } = JSON.parse(text) as { items: InventoryItem[]; namespaceUid?: unknown };
    const isItem = ({ apiVersion, kind, name }: InventoryItem) =>
      [apiVersion, kind, name].every((each) => typeof each === 'string');
    if (!items.every(isItem)) return undefined;
    return { items, namespaceUid: typeof namespaceUid === 'string' ? namespaceUid : undefined };
  } catch {
    return undefined;
  }
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

/**
 * Whether `kurator deploy` wrote it, for this operator. What somebody else made under the same name, or what is another operator's, is
 * not ours to delete, whatever an inventory says.
 */
export function isWrittenFor(
  { kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>,
  description: OperatorDescription,
): boolean {
  // Definitions are of all operators that declare them.
  return isByDeploy(metadata) && (kind === 'CustomResourceDefinition' || isLabelledFor(metadata, description));
}

function isLabelledFor({ labels = {} }: KubernetesObject['metadata'], description: OperatorDescription): boolean {
  return Object.entries(selectorOf(description)).every(([key, value]) => labels[key] === value);
}

function isByDeploy({ managedFields = [] }: KubernetesObject['metadata']): boolean {
  return managedFields.some(({ manager }) => manager === FIELD_MANAGER);
}

/**
 * Makes the operator's namespace, and fails if somebody was quicker. That it was made, and for whom, is said in the same write: the
 * inventory lies in it, and can only come afterwards.
 */
export async function createNamespace(client: Client, description: OperatorDescription, signal: AbortSignal) {
  const metadata = { name: namespaceOf(description), annotations: { [MADE_FOR]: description.name } };
  await client.create(Namespace, { metadata }, { fieldManager: FIELD_MANAGER, signal });
}

/** The namespace, if it was made for the operator. */
export async function madeNamespace(
  client: Client,
  description: OperatorDescription,
  inventory: Inventory | undefined,
  signal: AbortSignal,
): Promise<Namespace | undefined> {
  const found = await client.find(Namespace, { name: namespaceOf(description) }, { signal });
  if (!found || !isByDeploy(found.metadata)) return undefined;
  const { uid, annotations } = found.metadata;
  const isMarked = annotations?.[MADE_FOR] === description.name;
  // Before it was said on the namespace itself, the inventory alone knew.
  const isRecorded = uid !== undefined && uid === inventory?.namespaceUid && isLabelledFor(found.metadata, description);
  return isMarked || isRecorded ? found : undefined;
}

/** What an earlier deployment has made and this one doesn't want; bindings before the roles that they are of. */
export function unwanted({ items }: Inventory, wanted: readonly KubernetesObject[]): InventoryItem[] {
  const keys = new Set(wanted.map(({ kind, metadata }) => keyOf({ kind, ...metadata })));
  return items.filter((item) => prunable.has(item.kind) && !keys.has(keyOf(item))).toReversed();
}

export function itemOf({ apiVersion, kind, metadata }: KubernetesObject, uid: string | undefined): InventoryItem {
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) };
}

/** The items of both, those of the second instead of the first where they are of the same name, and in its order. */
export function merged(before: readonly InventoryItem[], after: readonly InventoryItem[]): InventoryItem[] {
  const keys = new Set(after.map(keyOf));
  return [...before.filter((item) => !keys.has(keyOf(item))), ...after];
}

function keyOf({ kind, namespace = '', name }: { kind: string; namespace?: string | undefined; name: string }): string {
  return `${kind}/${namespace}/${name}`;
}

function refOf(description: OperatorDescription) {
  return { name: `${description.name}-inventory`, namespace: namespaceOf(description) };
}
