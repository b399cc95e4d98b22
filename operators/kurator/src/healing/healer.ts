/** The operator: what it watches, what it may do, and what it does with it. */
import { isDeepStrictEqual } from 'node:util';
import {
  ConfigMap,
  ControllerRevision,
  Deployment,
  EndpointSlice,
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
  Service,
  StatefulSet,
} from '@kurator/sdk';
import { withAlertChannels } from '../alerting/alert-channels.ts';
import { createAlerting } from '../alerting/alerting.ts';
import { Delivery } from '../alerting/delivery.ts';
import { execIn } from '../checking/exec.ts';
import { ApiServer } from '../network/api-server.ts';
import { Reach } from '../network/reach.ts';
import { observeNode } from '../observing/node.ts';
import { metricFamilies } from '../recording/metrics.ts';
import { withIncidents } from '../recording/retire-incidents.ts';
import { AlertChannel, sinkKind } from '../resources/alert-channel.ts';
import { Incident } from '../resources/incident.ts';
import { Kurator } from '../resources/kurator.ts';
import { KuratorSwitch } from '../resources/kurator-switch.ts';
import { kuratorLabel } from '../serving/pod-template.ts';
import { modeIn, withSwitch } from '../switching/switching.ts';
import { fieldManager } from './case.ts';
import { kuratorsOf, kuratorsOfPod, kuratorsOnNode, kuratorsThrough } from './concerned.ts';
import { dependsOnOf } from './dependencies.ts';
import { heal } from './heal.ts';
import { rehearse } from './rehearse.ts';
import { isThroughService, type Look, targetKey, targetOf } from './scene.ts';
import { Ward, type WardOptions } from './ward.ts';

/** Makes the healer; nothing happens before it is run. One that runs can't be started a second time: make another. */
export function healer(options: WardOptions = {}): Operator {
  let ward: Ward | undefined;
  const apiServer = new ApiServer(options.now);
  let look: Pick<Look, 'list'> | undefined;
  const reach = new Reach({
    ...(options.allowAddresses && { allow: options.allowAddresses }),
    apiServer: () => apiServer.addresses(),
    nodes: () => [...nodeAddresses(look), ...apiServer.endpoints()],
  });
  const kurator = operator({ name: fieldManager })
    // The status is all our own writing, under conditions that the SDK's doesn't know: see writeStatus.
    .controller(Kurator, { readyCondition: false, predicate: generationChanged, timeout: '2m' })
    .index(Kurator, 'target', ({ metadata, ...rest }) => {
      const { kind, name } = targetOf({ metadata, ...rest });
      return targetKey(metadata.namespace, kind, name);
    })
    .index(Kurator, 'dependsOn', dependsOnOf)
    .index(Kurator, 'throughService', ({ metadata, spec }) =>
      spec.checks.some(isThroughService) ? metadata.namespace : undefined,
    )
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
    // What runs is let go of, never deleted for not being described any more.
    .owns(Deployment, { prune: false })
    .owns(StatefulSet, { prune: false })
    .watches(Deployment, ({ metadata }, look) => kuratorsOf('Deployment', metadata, look))
    .watches(StatefulSet, ({ metadata }, look) => kuratorsOf('StatefulSet', metadata, look))
    .watches(Pod, kuratorsOfPod)
    .watches(Service, kuratorsThrough)
    .watches(Node, kuratorsOnNode, { predicate: nodeChanged })
    .watches(Incident, ({ metadata, spec }) => ({ name: spec.service, namespace: metadata.namespace }), {
      predicate: generationChanged,
    })
    .watches(KuratorSwitch, (_switch, look) => look.list(Kurator, { namespace: '*' }))
    .reads(ReplicaSet)
    .reads(ControllerRevision)
    .reads(HorizontalPodAutoscaler)
    .reads(PodDisruptionBudget)
    .reads(AlertChannel)
    .uses(Kurator, ['patch'], { subresource: 'status' })
    .uses(Pod, ['create'], { subresource: 'eviction' })
    .uses(Pod, ['get'], { subresource: 'log' })
    .uses(Event, ['list', 'watch'])
    .uses(EndpointSlice, ['list', 'watch'])
    .uses(KuratorSwitch, ['create', 'patch'])
    .uses(Incident, ['create', 'delete'])
    .uses(Incident, ['patch'], { subresource: 'status' })
    .beside((context) => {
      const { manager } = context;
      const client = manager.leaderClient;
      const channels = (namespace: string) => ward?.look?.list(AlertChannel, { namespace }) ?? [];
      const tools = { exec: execIn(client), reach };
      ward = new Ward(context, { alerting: createAlerting({ client, channels }), ...options }, tools);
      manager.metrics.add(metricFamilies(ward));
      return ward.runnable();
    })
    .reconcile(async (kurator, context) => {
      if (context.dryRun) {
        await rehearse(kurator, context, modeIn(context, options.mode), (options.now ?? Date.now)());
        return undefined;
      }
      if (!ward) return undefined;
      look = context;
      await apiServer.find(context);
      return await heal(ward, kurator, context);
    });
  const delivery = new Delivery({
    reach: async (context) => {
      look ??= context;
      await apiServer.find(context);
      return reach;
    },
    onTry: ({ spec }, outcome) => ward?.tally.alertAttempts.add({ sink: sinkKind(spec), outcome }),
  });
  return withSwitch(withAlertChannels(withIncidents(kurator), delivery));
}

function nodeAddresses(look: Pick<Look, 'list'> | undefined): string[] {
  return look?.list(Node).flatMap(({ status }) => status?.addresses?.map(({ address }) => address) ?? []) ?? [];
}

function controllerOf({ metadata }: KubernetesObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

/** Kubelets say every few minutes that they are there, which is no news. */
const nodeChanged: Predicate<Node> = (change) => {
  const before = change.type === 'updated' ? change.previous() : undefined;
  if (!before) return true;
  const { name } = change.object().metadata;
  const [was, is] = [observeNode(name, before, 0), observeNode(name, change.object(), 0)];
  return !isDeepStrictEqual({ ...was, since: 0 }, { ...is, since: 0 });
};
