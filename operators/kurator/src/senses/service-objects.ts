/** Everything in the cluster that has to do with one service, as the caches have it. */

import { HorizontalPodAutoscaler, Node, Pod, PodDisruptionBudget, ReplicaSet, Service } from '@kurator/sdk';
import type { NodeObservation } from '../brain/observation.ts';
import type { Millis } from '../brain/time.ts';
import type { ServiceRecord } from '../memory/service-record.ts';
import type { Kurator } from '../resources/kurator.ts';
import { isThroughService, type Look, type Target, targetKey, targetOf, type Workload } from '../resources/lookup.ts';
import { isOurs } from '../resources/ownership.ts';
import { type Revision, revisionsOf } from '../resources/revision.ts';
import { observeNode, silentAloneFrom } from './observe-node.ts';
import { selects } from './observe-workload.ts';

/** A workload with all that is around it. */
export interface ServiceObjects {
  readonly target: Target;
  readonly workload: Workload;
  readonly revisions: readonly Revision[];
  readonly pods: readonly Pod[];
  readonly nodes: readonly NodeObservation[];
  /** The Service in front of it, if there is one. */
  readonly service: Service | undefined;
  readonly autoscalers: readonly HorizontalPodAutoscaler[];
  readonly budgets: readonly PodDisruptionBudget[];
}

/**
 * Undefined where there is no such workload.
 *
 * @param record What is remembered of it.
 * @param knownService The Service that was in front of it when it was last looked at.
 */
export function objectsOf(
  kurator: Kurator,
  look: Look,
  now: Millis,
  record: Pick<ServiceRecord, 'workload'>,
  knownService?: string,
): ServiceObjects | undefined {
  const target = targetOf(kurator);
  const workload = look.get(target.type, target.name);
  if (!workload) return undefined;
  const pods = podsOf(workload, look);
  return {
    target,
    workload,
    revisions: revisionsOf(workload, look, record.workload),
    pods,
    nodes: nodesOf(pods, look, now),
    // To find it costs a look at all of them.
    service: kurator.spec.checks.some(isThroughService) ? serviceOf(kurator, workload, look, knownService) : undefined,
    autoscalers: look.byIndex(HorizontalPodAutoscaler, 'target', keyOf(target, workload)),
    budgets: look.list(PodDisruptionBudget),
  };
}

function keyOf({ kind, name }: Target, { metadata }: Workload): string {
  return targetKey(metadata.namespace, kind, name);
}

const over: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

/** Those that the workload's controller has made. What has ended for good is no instance: another one was made for it. */
function podsOf({ kind, metadata }: Workload, look: Look): Pod[] {
  const uid = metadata.uid ?? '';
  const owners = kind === 'Deployment' ? look.byIndex(ReplicaSet, 'owner', uid).map((set) => set.metadata.uid) : [uid];
  const pods = owners.flatMap((owner) => look.byIndex(Pod, 'owner', owner ?? ''));
  return pods.filter(({ status }) => !over.has(status?.phase ?? ''));
}

function nodesOf(pods: readonly Pod[], look: Look, now: Millis): NodeObservation[] {
  const names = new Set(pods.flatMap(({ spec }) => spec?.nodeName ?? []));
  const nodes = Array.from(names, (name) => observeNode(name, look.get(Node, name), now));
  if (!nodes.some(isSilent)) return nodes;
  const all = look.list(Node).map((node) => observeNode(node.metadata.name, node, now));
  return nodes.map((node) => {
    const from = isSilent(node) ? silentAloneFrom(node, all, now) : node.since;
    return from > node.since ? { ...node, silentAloneFrom: from } : node;
  });
}

const isSilent = ({ gone, ready }: NodeObservation) => !gone && ready === 'unknown';

/**
 * As named, as made, or the first that selects the workload's pods and can be asked. One that did and does no more is
 * just what a check through it is to find out.
 */
function serviceOf(kurator: Kurator, workload: Workload, look: Look, known: string | undefined): Service | undefined {
  const { spec } = kurator;
  if (spec.targetRef?.service) return look.get(Service, spec.targetRef.service);
  if (spec.service) {
    const made = look.get(Service, kurator.metadata.name);
    return made && isOurs(kurator, made) ? made : undefined;
  }
  const labels = workload.spec?.template.metadata?.labels ?? {};
  const fitting = look.list(Service).filter((service) => {
    const { selector } = service.spec ?? {};
    return selector && Object.keys(selector).length > 0 && selects({ matchLabels: selector }, labels);
  });
  const [first] = fitting.sort(byName);
  const found = fitting.find((service) => service.spec?.clusterIP !== 'None') ?? first;
  return found ?? (known === undefined ? undefined : look.get(Service, known));
}

const byName = (a: Service, b: Service) => a.metadata.name.localeCompare(b.metadata.name);
