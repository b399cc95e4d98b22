/** What an operator does with objects of each kind, from what it declares. */
import { Lease, type ResourceType, Secret } from '@kurator/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { TokenReview } from '@kurator/client/authentication/v1';
import { SubjectAccessReview } from '@kurator/client/authorization/v1';
import type { Usage, Verb } from '@kurator/schema';
import { ReportedEvent } from '../../events/event.ts';
import { type ControllerDefinition, type OperatorDefinition, OWN_CLUSTER } from '../definition.ts';
import type { SettledOptions } from '../operator-options.ts';
import {
  asResource,
  clusterOf,
  definitionName,
  hasAuthorizedMetrics,
  hasConversion,
  isRemote,
  isWatched,
  needsFinalizer,
  readyConditionOf,
  resourcesOf,
  servesHooks,
} from './declared-kinds.ts';

const look = ['get', 'list', 'watch'] as const;
const own = [...look, 'create', 'patch', 'delete'] as const;
const telling: Usage = { type: ReportedEvent, verbs: ['create', 'patch'] };

/** Who asks for metrics, and whether he may have them. */
const reviewing: readonly Usage[] = [TokenReview, SubjectAccessReview].map((type) => ({ type, verbs: ['create'] }));

/** What is done where the operator works. */
export function usagesInCluster(
  definition: OperatorDefinition,
  name: string,
  cluster: string,
  { installCrds, http }: Pick<SettledOptions, 'installCrds' | 'http'>,
): Usage[] {
  const usages = definition.controllers.flatMap((controller) => controllerUsages(controller, cluster));
  const events = definition.controllers.some(isWatched) ? [telling] : [];
  if (cluster !== OWN_CLUSTER) return usages.length === 0 ? [] : [...usages, ...events];
  const resources = resourcesOf(definition);
  return [
    ...usages,
    ...(usages.length === 0 ? [] : events),
    ...(installCrds === 'never' ? [] : kept(CustomResourceDefinition, resources.map(definitionName), 'list', 'patch')),
    ...(servesHooks(definition) ? registering(name) : []),
    ...(hasAuthorizedMetrics(http) ? reviewing : []),
    ...held(CustomResourceDefinition, resources.filter(hasConversion).map(definitionName), 'get', 'watch', 'patch'),
  ];
}

/** What is done where the operator lives: leading, and keeping its keys. */
export function usagesInOwnNamespace(
  definition: OperatorDefinition,
  name: string,
  { leaderElection, sharding, http }: Pick<SettledOptions, 'leaderElection' | 'sharding' | 'http'>,
): Usage[] {
  const { certificates = {} } = definition.options.webhooks ?? {};
  const secrets = [
    ...(servesHooks(definition) && !('folder' in certificates) ? [certificates.secret ?? `${name}-webhooks`] : []),
    ...(hasAuthorizedMetrics(http) ? [`${name}-metrics`] : []),
  ];
  const leases = leaderElection ? [leaderElection.lease ?? name] : [];
  return [
    ...kept(Lease, leases, 'update'),
    ...(leases.length > 0 ? [telling] : []),
    // Members come and go, each with a Lease that is called after it.
    ...(sharding ? [{ type: Lease, verbs: [...look, 'create', 'update', 'delete'] as const }] : []),
    ...kept(Secret, secrets, 'update'),
  ];
}

function controllerUsages(controller: ControllerDefinition, cluster: string): Usage[] {
  const { kinds, uses, settings } = controller;
  const isHere = (settings.cluster ?? OWN_CLUSTER) === cluster;
  const watches = isWatched(controller);
  return [
    ...(isHere && watches ? primaryUsages(controller) : []),
    ...kinds
      .filter((kind) => watches && clusterOf(kind) === cluster)
      .map(({ type, role }) => ({ type, verbs: role === 'own' ? own : look })),
    ...uses.filter((use) => use.cluster === cluster).map(({ cluster: _, ...usage }) => usage),
  ];
}

/** What is done with the reconciled objects themselves. */
function primaryUsages(controller: ControllerDefinition): Usage[] {
  const { type, kinds, schedules } = controller;
  const hasChildren = kinds.some((kind) => kind.role === 'own' && !isRemote(controller, kind));
  const notes = schedules.some((schedule) => schedule.sort === 'cron' && schedule.settings.remember !== false);
  const declared = asResource(type)?.definition;
  const removes = declared?.cleanup.finished !== undefined;
  // Whoever declares a status may return one, with or without a condition of ours.
  const tells = declared?.status !== undefined || readyConditionOf(controller) !== undefined;
  const usages: (Usage | false)[] = [
    { type, verbs: look },
    (needsFinalizer(controller) || notes) && { type, verbs: ['patch'] },
    removes && { type, verbs: ['delete'] },
    tells && { type, subresources: ['status'], verbs: ['patch'] },
    // Where the cluster checks who may block an owner's deletion: every child's owner reference does.
    hasChildren && { type, subresources: ['finalizers'], verbs: ['update'] },
  ];
  return usages.filter((usage) => usage !== false);
}

/** Both sorts: what an earlier version has registered and this one doesn't, is emptied. */
function registering(name: string): Usage[] {
  return [
    ...kept(ValidatingWebhookConfiguration, [name], 'update'),
    ...kept(MutatingWebhookConfiguration, [name], 'update'),
  ];
}

/** Made if need be, looked at and changed. */
function kept(type: ResourceType, names: readonly string[], ...verbs: readonly Verb[]): Usage[] {
  return held(type, names, 'create', 'get', 'watch', ...verbs);
}

function held(type: ResourceType, names: readonly string[], ...verbs: readonly Verb[]): Usage[] {
  return names.length === 0 ? [] : [{ type, names, verbs }];
}
