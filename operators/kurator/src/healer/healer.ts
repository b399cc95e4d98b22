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
import { ApiServer } from '../access/api-server.ts';
import { Reach } from '../access/reach.ts';
import { withIncidents } from '../memory/incident-retention.ts';
import { AlertChannel, sinkKind } from '../resources/alert-channel.ts';
import { Incident } from '../resources/incident.ts';
import { Kurator } from '../resources/kurator.ts';
import { KuratorSwitch } from '../resources/kurator-switch.ts';
import { dependsOnOf, isThroughService, type Look, targetKey, targetOf } from '../resources/lookup.ts';
import { fieldManager, kuratorLabel } from '../resources/ownership.ts';
import { kuratorsOf, kuratorsOfPod, kuratorsOnNode, kuratorsThrough } from '../senses/cluster-events.ts';
import { execIn } from '../senses/container-exec.ts';
import { observeNode } from '../senses/observe-node.ts';
import { Delivery, withAlertChannels } from '../voice/alerts/delivery.ts';
import { createAlerting } from '../voice/alerts/tell-channels.ts';
import { metricFamilies } from '../voice/metrics/all-families.ts';
import { heal } from './heal.ts';
import type { HealerOptions } from './options.ts';
import { rehearse } from './prepare.ts';
import { HealerScope } from './scope.ts';
import { modeIn, withSwitch } from './switch.ts';

/** Makes the healer; nothing happens before it is run. One that runs can't be started a second time: make another. */
export function healer(options: HealerOptions = {}): Operator {
  let scope: HealerScope | undefined;
  const apiServer = new ApiServer(options.now);
  let look: Pick<Look, 'list'> | undefined;
  const reach = new Reach({
    ...(options.allowAddresses && { allow: options.allowAddresses }),
    hostNetwork: options.hostNetworkChecks ?? false,
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
      const channels = (namespace: string) => scope?.look?.list(AlertChannel, { namespace }) ?? [];
      const tools = { exec: execIn(client), reach };
      scope = new HealerScope(context, { alerting: createAlerting({ client, channels }), ...options }, tools);
      manager.metrics.add(metricFamilies(scope));
      return scope.runnable();
    })
    .reconcile(async (kurator, context) => {
      if (context.dryRun) {
        await rehearse(kurator, context, modeIn(context, options.mode), (options.now ?? Date.now)());
        return undefined;
      }
      if (!scope) return undefined;
      look = context;
      await apiServer.find(context);
      return await heal(scope, kurator, context);
    });
  const delivery = new Delivery({
    reach: async (context) => {
      look ??= context;
      await apiServer.find(context);
      return reach;
    },
    others: (service, context) => scope?.othersThan(service, context) ?? [],
    onTry: ({ spec }, outcome) => scope?.tally.alertAttempts.add({ sink: sinkKind(spec), outcome }),
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
