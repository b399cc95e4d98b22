/** Applies a set of children in the order in which they need each other. */
import type { KubernetesObject, ResourceType } from '@kurator/client';
import { RuntimeError } from '../../error.ts';
import { isJsonObject, type JsonObject } from '../../writing/json.ts';
import type { Child } from '../child.ts';
import { ChildrenError, type FailedChild } from '../children-error.ts';

export type ApplyOne = (child: Child) => Promise<KubernetesObject>;

/** Applies a set. Whatever fails, all that doesn't need it is applied; then the failures are thrown as one. */
export async function applyChildren(
  children: Readonly<Record<string, Child>>,
  apply: ApplyOne,
): Promise<Record<string, KubernetesObject>> {
  checkOrder(children);
  const waiting = new Map(Object.entries(children));
  const applied: Record<string, KubernetesObject> = {};
  const failed = new Map<string, FailedChild>();
  while (waiting.size > 0) {
    heldBack(waiting, failed);
    const next = nextOf(waiting);
    for (const [name] of next) waiting.delete(name);
    const attempts = next.map(async ([name, child]) => {
      try {
        applied[name] = await apply(child);
      } catch (error) {
        failed.set(name, { name, child, error });
      }
    });
    await Promise.all(attempts);
  }
  if (failed.size > 0) throw new ChildrenError([...failed.values()]);
  return applied;
}

/** Those that wait for nobody and are of the kinds that come first. */
function nextOf(waiting: ReadonlyMap<string, Child>): [string, Child][] {
  const free = [...waiting].filter(([, { options }]) => !options.after?.some((name) => waiting.has(name)));
  const first = Math.min(...free.map(([, { type }]) => rankOf(type)));
  return free.filter(([, { type }]) => rankOf(type) === first);
}

/** Moves those that need something that failed to where it is, until there are no more. */
function heldBack(waiting: Map<string, Child>, failed: Map<string, FailedChild>): void {
  for (let moved = true; moved; ) {
    moved = false;
    for (const [name, child] of waiting) {
      const because = child.options.after?.find((other) => failed.has(other));
      if (because === undefined) continue;
      waiting.delete(name);
      failed.set(name, { name, child, heldBackBy: because });
      moved = true;
    }
  }
}

function checkOrder(children: Readonly<Record<string, Child>>): void {
  const visited = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) {
      const cycle = [...path.slice(path.indexOf(name)), name].join(' after ');
      throw wrong(`the children wait for each other: ${cycle}`, 'take one of these out of its `after`');
    }
    if (visited.has(name)) return;
    for (const other of children[name]?.options.after ?? []) {
      if (!Object.hasOwn(children, other)) {
        const names = Object.keys(children).join(', ');
        throw wrong(`${name} comes after "${other}", which is not in the set`, `name one of ${names}`);
      }
      visit(other, [...path, name]);
    }
    visited.add(name);
  };
  for (const name of Object.keys(children)) visit(name, []);
}

function wrong(message: string, remedy: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_CHILD_ORDER', message, { remedy });
}

// Each line needs nothing of those below it.
const order: readonly (readonly string[])[] = [
  ['Namespace', 'CustomResourceDefinition', 'PriorityClass', 'StorageClass'],
  ['ResourceQuota', 'LimitRange', 'NetworkPolicy', 'ServiceAccount'],
  ['Role', 'ClusterRole'],
  ['RoleBinding', 'ClusterRoleBinding'],
  ['Secret', 'ConfigMap', 'PersistentVolume', 'PersistentVolumeClaim'],
  ['Service', 'PodDisruptionBudget'],
  ['Pod', 'ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'],
];
// They point at what is above them.
const last = new Set([
  'Ingress',
  'HorizontalPodAutoscaler',
  'APIService',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
]);
const ranks = new Map(order.flatMap((kinds, rank) => kinds.map((kind) => [kind, rank])));

/** The smaller the sooner. Custom kinds come after workloads: they may be what somebody else makes workloads of. */
function rankOf({ kind }: Pick<ResourceType, 'kind'>): number {
  return ranks.get(kind) ?? (last.has(kind) ? order.length + 1 : order.length);
}

/** A merge patch that removes what others have put into these fields of an object; undefined if nobody has. */
export function extraFieldsPatch(live: object, wanted: object, fields: readonly string[]): object | undefined {
  const patches = fields.flatMap((field) => {
    const there = (live as JsonObject)[field];
    const meant = (wanted as JsonObject)[field];
    if (!isJsonObject(there)) return [];
    const extra = Object.keys(there).filter((name) => !isJsonObject(meant) || meant[name] === undefined);
    return extra.length > 0 ? [[field, Object.fromEntries(extra.map((name) => [name, null]))]] : [];
  });
  return patches.length > 0 ? Object.fromEntries(patches) : undefined;
}
