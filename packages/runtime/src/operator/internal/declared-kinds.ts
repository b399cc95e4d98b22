/** What a declaration says of kinds: whose they are, where they are, and what becomes of their objects. */

import type { ResourceType } from '@kurator/client';
import type { Resource } from '@kurator/schema';
import { groupOf } from '../../controller/mapping.ts';
import {
  type AnyType,
  type ControllerDefinition,
  type OperatorDefinition,
  OWN_CLUSTER,
  type WatchedKind,
} from '../definition.ts';
import type { OperatorOptions } from '../operator-options.ts';
import type { LabelChoice } from '../settings.ts';

/** The kind with all that was declared of it; undefined for one that is somebody else's. */
export function asResource(type: AnyType): Resource | undefined {
  return 'definition' in type ? (type as unknown as Resource) : undefined;
}

/** The operator's own kinds: those that it reconciles in its own cluster. */
export function resourcesOf({ controllers }: Pick<OperatorDefinition, 'controllers'>): Resource[] {
  const near = controllers.filter(({ settings }) => !settings.cluster);
  return [...new Set(near.flatMap(({ type }) => asResource(type) ?? []))];
}

/** The name of a kind's CustomResourceDefinition. */
export function definitionName({ definition: { plural, group } }: Resource): string {
  return `${plural}.${group}`;
}

/** Whether objects of its versions differ, so that the operator must convert them. */
export function hasConversion({ definition }: Resource): boolean {
  return definition.versions.some(({ conversion }) => conversion !== undefined);
}

/** Whether an operator serves webhooks. */
export function servesHooks(definition: Pick<OperatorDefinition, 'controllers'>): boolean {
  return definition.controllers.some(({ hooks }) => hooks.length > 0) || resourcesOf(definition).some(hasConversion);
}

/** Whether only some may read its metrics. */
export function hasAuthorizedMetrics(http: OperatorOptions['http']): boolean {
  return http ? http.metrics === 'authorized' : false;
}

/** What becomes of children when their object goes. `keep`: for a time; then the operator deletes them. */
export function childrenPolicy({ type }: Pick<ControllerDefinition, 'type'>): 'delete' | 'orphan' | 'keep' {
  const { children = 'delete' } = asResource(type)?.definition.cleanup ?? {};
  return typeof children === 'string' ? children : 'keep';
}

/** Whether objects are reconciled; else there are at most schedules and webhooks for them. */
export function isReconciled({ reconcile, cleanup, type }: ControllerDefinition): boolean {
  return (
    reconcile !== undefined || cleanup !== undefined || asResource(type)?.definition.cleanup.finished !== undefined
  );
}

/** Whether objects are looked at: where there are only webhooks, the API server brings each that is asked about. */
export function isWatched(controller: ControllerDefinition): boolean {
  return isReconciled(controller) || controller.schedules.length + controller.companions.length > 0;
}

/** What is off unless given, since the operator has no use for it: nobody need lead where all is done in every replica. */
export function unneeded({
  controllers,
}: Pick<OperatorDefinition, 'controllers'>): Pick<OperatorOptions, 'leaderElection'> {
  const isLed = controllers.some((one) => isWatched(one) && !one.settings.everyReplica);
  return isLed ? {} : { leaderElection: false };
}

/** Where objects of a kind are. */
export function clusterOf({ settings }: WatchedKind): string {
  return settings.cluster ?? OWN_CLUSTER;
}

/** Whether Kubernetes can't tell whose children of this kind are, or must not know it, so that the operator must. */
export function isRemote(controller: ControllerDefinition, kind: WatchedKind): boolean {
  if (kind.role !== 'own') return false;
  const { type, settings } = controller;
  // What has an owner goes with it.
  if (childrenPolicy(controller) !== 'delete') return true;
  const isFar = clusterOf(kind) !== (settings.cluster ?? OWN_CLUSTER);
  const isWider = type.namespaced && !kind.type.namespaced;
  return isFar || isWider || kind.settings.otherNamespaces === true;
}

/** A choice of labels or fields as the API server takes it. */
export function selectorOf(labels: LabelChoice | undefined): string | undefined {
  if (labels === undefined || typeof labels === 'string') return labels;
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** Whether an object must not go before something was done. */
export function needsFinalizer(controller: ControllerDefinition): boolean {
  const { cleanup, kinds } = controller;
  const hasRemote = kinds.some((kind) => isRemote(controller, kind));
  return cleanup !== undefined || (hasRemote && childrenPolicy(controller) !== 'orphan');
}

/** The condition that is kept for the author; undefined for none. The status of a kind that is not the author's own isn't his to write. */
export function readyConditionOf({ type, settings, reconcile }: ControllerDefinition): string | undefined {
  const { readyCondition = reconcile && 'definition' in type ? 'Ready' : false } = settings;
  return readyCondition || undefined;
}

/** Kubernetes' own groups. What is in another group is a custom resource, and nobody knows what hangs on it. */
const builtIn = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

const withData = new Set([
  'PersistentVolumeClaim',
  'PersistentVolume',
  'Secret',
  // Its claims may go with it, by its retention policy.
  'StatefulSet',
  // All that is in them, or of them, goes too.
  'Namespace',
  'CustomResourceDefinition',
]);

/** Whether a kind holds what nobody can make again: no child of these is deleted for being absent from a set. */
export function holdsData({ apiVersion, kind }: Pick<ResourceType, 'apiVersion' | 'kind'>): boolean {
  return withData.has(kind) || !builtIn.has(groupOf(apiVersion));
}
