/** The operator: what it watches, what it may do, and what it does with it. */
import {
  ConfigMap,
  ControllerRevision,
  Deployment,
  Event,
  generationChanged,
  HorizontalPodAutoscaler,
  type KubernetesObject,
  Node,
  type Operator,
  operator,
  Pod,
  PodDisruptionBudget,
  type Predicate,
  ReplicaSet,
  Secret,
  Service,
  StatefulSet,
} from '@kurator/sdk';
import { withAlertChannels } from '../alerting/alert-channels.ts';
import { createAlerting } from '../alerting/alerting.ts';
import { execIn } from '../checking/exec.ts';
import { observeNode } from '../observing/node.ts';
import { metricFamilies } from '../recording/metrics.ts';
import { withIncidents } from '../recording/retire-incidents.ts';
import { AlertChannel } from '../resources/alert-channel.ts';
import { Incident } from '../resources/incident.ts';
import { Kurator } from '../resources/kurator.ts';
import { kuratorLabel } from '../serving/pod-template.ts';
import { fieldManager } from './case.ts';
import { dependsOnOf } from './dependencies.ts';
import { heal } from './heal.ts';
import { type Look, targetKey, targetOf } from './scene.ts';
import { Ward, type WardOptions } from './ward.ts';

/** Makes the healer; nothing happens before it is run. One that runs can't be started a second time: make another. */
export function healer(options: WardOptions = {}): Operator {
  let ward: Ward | undefined;
  const kurator = operator({ name: fieldManager })
    // The status is all our own writing, under conditions that the SDK's doesn't know: see writeStatus.
    .controller(Kurator, { readyCondition: false, predicate: generationChanged, timeout: '2m' })
    .index(Kurator, 'target', ({ metadata, ...rest }) => {
      const { kind, name } = targetOf({ metadata, ...rest });
      return targetKey(metadata.namespace, kind, name);
    })
    .index(Kurator, 'dependsOn', dependsOnOf)
    .index(HorizontalPodAutoscaler, 'target', ({ metadata, spec }) => {
      const { kind, name } = spec?.scaleTargetRef ?? {};
      return kind && name ? targetKey(metadata.namespace, kind, name) : undefined;
    })
    .index(Pod, 'owner', controllerOf)
    .index(Pod, 'node', ({ spec }) => spec?.nodeName)
    .index(ReplicaSet, 'owner', controllerOf)
    .index(ControllerRevision, 'owner', controllerOf)
    .index(Incident, 'service', ({ metadata, spec }) => `${metadata.namespace}/${spec.service}`)
    .owns(ConfigMap, { labels: kuratorLabel })
    .owns(Service)
    .owns(Deployment)
    .owns(StatefulSet)
    .watches(Deployment, ({ metadata }, look) => kuratorsOf('Deployment', metadata, look))
    .watches(StatefulSet, ({ metadata }, look) => kuratorsOf('StatefulSet', metadata, look))
    .watches(Pod, kuratorsOfPod)
    .watches(Node, kuratorsOnNode, { predicate: readinessChanged })
    .watches(Incident, ({ metadata, spec }) => ({ name: spec.service, namespace: metadata.namespace }), {
      predicate: generationChanged,
    })
    .reads(ReplicaSet)
    .reads(ControllerRevision)
    .reads(HorizontalPodAutoscaler)
    .reads(PodDisruptionBudget)
    .reads(AlertChannel)
    .uses(Kurator, ['patch'], { subresource: 'status' })
    .uses(Pod, ['create'], { subresource: 'eviction' })
    .uses(Pod, ['get'], { subresource: 'log' })
    .uses(Event, ['list'])
    .uses(Secret, ['get'])
    .uses(Incident, ['create', 'delete'])
    .uses(Incident, ['patch'], { subresource: 'status' })
    .beside((context) => {
      const { manager } = context;
      const client = manager.leaderClient;
      const channels = (namespace: string) => ward?.look?.list(AlertChannel, { namespace }) ?? [];
      ward = new Ward(context, { alerting: createAlerting({ client, channels }), ...options }, execIn(client));
      manager.metrics.add(metricFamilies(ward));
      return ward.runnable();
    })
    .reconcile(async (kurator, context) => {
      if (ward) return await heal(ward, kurator, context);
      return undefined;
    });
  return withAlertChannels(withIncidents(kurator));
}

function controllerOf({ metadata }: KubernetesObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

function kuratorsOf(kind: string, { namespace, name }: KubernetesObject['metadata'], look: Look): Kurator[] {
  return look.byIndex(Kurator, 'target', targetKey(namespace, kind, name));
}

/** By its ReplicaSet's Deployment, or by its StatefulSet. */
function kuratorsOfPod({ metadata }: Pod, look: Look): Kurator[] {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner?.kind === 'StatefulSet') return kuratorsOf('StatefulSet', { ...metadata, name: owner.name }, look);
  if (owner?.kind !== 'ReplicaSet') return [];
  const set = look.get(ReplicaSet, { name: owner.name, namespace: metadata.namespace });
  const deployment = set?.metadata.ownerReferences?.find(({ controller }) => controller);
  return deployment ? kuratorsOf('Deployment', { ...metadata, name: deployment.name }, look) : [];
}

function kuratorsOnNode({ metadata }: Node, look: Look): Kurator[] {
  const found = look.byIndex(Pod, 'node', metadata.name).flatMap((pod) => kuratorsOfPod(pod, look));
  return [...new Map(found.map((kurator) => [kurator.metadata.uid, kurator])).values()];
}

/** Kubelets say every few minutes that they are there, which is no news. */
const readinessChanged: Predicate<Node> = (change) => {
  const before = change.type === 'updated' ? change.previous() : undefined;
  if (!before) return true;
  const { name } = change.object().metadata;
  const [was, is] = [observeNode(name, before, 0), observeNode(name, change.object(), 0)];
  return was.ready !== is.ready || was.gone !== is.gone;
};
