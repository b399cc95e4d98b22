/** Which caches an operator needs: one for each kind, cluster and choice of labels, however many controllers use it. */
import type { KubernetesObject } from '@kurator/client';
import type { IndexFunction } from '../../cache/object-table.ts';
import { declarationOf } from '../../writing/declaration.ts';
import { type AnyType, type ControllerDefinition, HOME, type WatchedKind } from '../definition.ts';
import type { LabelChoice } from '../settings.ts';
import { childrenPolicy } from './children-policy.ts';
import { byOwnerLabel, OWNER_INDEX } from './elsewhere.ts';

export interface CacheNeed {
  readonly cluster: string;
  readonly type: AnyType;
  readonly labelSelector: string | undefined;
  readonly indexes: Record<string, IndexFunction<KubernetesObject>>;
}

/** The caches that these controllers need, each once. */
export function cachePlan(controllers: readonly ControllerDefinition[]): CacheNeed[] {
  const needs = new Map<string, CacheNeed>();
  const need = (cluster: string, type: AnyType, labels: LabelChoice | undefined): CacheNeed => {
    const labelSelector = selectorOf(labels);
    const key = cacheKey(cluster, type, labelSelector);
    const known = needs.get(key) ?? { cluster, type, labelSelector, indexes: {} };
    needs.set(key, known);
    return known;
  };
  for (const controller of controllers) {
    const { type, settings, kinds } = controller;
    addIndexes(need(settings.cluster ?? HOME, type, settings.labels), controller);
    for (const kind of kinds) {
      const needed = need(clusterOf(kind), kind.type, kind.settings.labels);
      addIndexes(needed, controller);
      if (isElsewhere(controller, kind)) needed.indexes[OWNER_INDEX] = byOwnerLabel;
    }
  }
  return [...needs.values()];
}

export function cacheKey(cluster: string, type: AnyType, labelSelector: string | undefined): string {
  return JSON.stringify([cluster, declarationOf(type), labelSelector]);
}

/** Two controllers may call their indexes by the same name. */
export function indexName(controller: ControllerDefinition, name: string): string {
  return `${controller.name}/${name}`;
}

export function clusterOf({ settings }: WatchedKind): string {
  return settings.cluster ?? HOME;
}

/** Whether Kubernetes can't tell whose children of this kind are, or must not know it, so that the operator must. */
export function isElsewhere(controller: ControllerDefinition, kind: WatchedKind): boolean {
  if (kind.role !== 'own') return false;
  const { type, settings } = controller;
  // What has an owner goes with it.
  if (childrenPolicy(controller) !== 'delete') return true;
  const isFar = clusterOf(kind) !== (settings.cluster ?? HOME);
  const isWider = type.namespaced && !kind.type.namespaced;
  return isFar || isWider || kind.settings.elsewhere === true;
}

export function selectorOf(labels: LabelChoice | undefined): string | undefined {
  if (labels === undefined || typeof labels === 'string') return labels;
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

function addIndexes({ type, indexes }: CacheNeed, controller: ControllerDefinition): void {
  for (const { type: indexed, name, values } of controller.indexes) {
    if (declarationOf(indexed) === declarationOf(type)) indexes[indexName(controller, name)] = values;
  }
}
