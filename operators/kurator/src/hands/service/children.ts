/** What a Kurator that owns its service makes: the workload, the name that it is found by, and its files. */

import {
  type ConfigMap,
  Deployment,
  type Manifest,
  type PersistentVolumeClaim,
  type PodTemplateSpec,
  type Service,
  StatefulSet,
} from '@kurator/sdk';
import type { Kurator } from '../../resources/kurator.ts';
import { labelsOf, selectorOf } from '../../resources/ownership.ts';
import { configName, portsOf, type ServiceFields } from './pod-template.ts';

/** The files, as a ConfigMap that never changes: other files are another one. */
export function configMapOf(kurator: Kurator): Manifest<ConfigMap> | undefined {
  const name = configName(kurator);
  const { config } = kurator.spec.service ?? {};
  if (!name || !config) return undefined;
  return { metadata: { name, labels: labelsOf(kurator) }, data: config, immutable: true };
}

/** One that is still referred to, as it is. */
export function keptConfigMap({ metadata, data = {} }: ConfigMap, kurator: Kurator): Manifest<ConfigMap> {
  return { metadata: { name: metadata.name, labels: labelsOf(kurator) }, data, immutable: true };
}

/** The Services: one that answers for all, and for a StatefulSet one by which each instance is found. */
export function servicesOf(kurator: Kurator, service: ServiceFields): Manifest<Service>[] {
  const { name } = kurator.metadata;
  const selector = selectorOf(kurator);
  const ports = portsOf(service).map(({ name, port, protocol }) => ({ name, port, targetPort: port, protocol }));
  const labels = labelsOf(kurator);
  const forAll = { metadata: { name, labels }, spec: { selector, ports } };
  const forEach = {
    metadata: { name: instancesName(kurator), labels },
    spec: { selector, clusterIP: 'None', publishNotReadyAddresses: true, ...(ports.length > 0 && { ports }) },
  };
  return [...(ports.length > 0 ? [forAll] : []), ...(service.kind === 'StatefulSet' ? [forEach] : [])];
}

function instancesName({ metadata }: Kurator): string {
  return `${metadata.name}-instances`;
}

/** The Deployment or StatefulSet, with the template that is to run. */
export function workloadOf(
  kurator: Kurator,
  service: ServiceFields,
  template: PodTemplateSpec,
):
  | { type: typeof Deployment; manifest: Manifest<Deployment> }
  | { type: typeof StatefulSet; manifest: Manifest<StatefulSet> } {
  const { name } = kurator.metadata;
  const { replicas } = service;
  const metadata = { name, labels: labelsOf(kurator) };
  const spec = {
    selector: { matchLabels: selectorOf(kurator) },
    template,
    ...(replicas !== undefined && { replicas }),
  };
  if (service.kind === 'Deployment') return { type: Deployment, manifest: { metadata, spec } };
  const volumeClaimTemplates = claimsOf(service);
  const claims = volumeClaimTemplates.length > 0 ? { volumeClaimTemplates } : {};
  return {
    type: StatefulSet,
    manifest: { metadata, spec: { ...spec, serviceName: instancesName(kurator), ...claims } },
  };
}

function claimsOf({ volumes = [] }: ServiceFields): PersistentVolumeClaim[] {
  return volumes.flatMap(({ name, claim }) => {
    if (!claim) return [];
    const { storage, storageClassName } = claim;
    const spec = {
      accessModes: ['ReadWriteOnce' as const],
      resources: { requests: { storage } },
      ...(storageClassName && { storageClassName }),
    };
    return [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec }];
  });
}
