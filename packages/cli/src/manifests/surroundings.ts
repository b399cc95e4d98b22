/** What surrounds the pods: Services, who may reach them, how many a drain may take, and who reads their metrics. */
import type { KubernetesObject, PodDisruptionBudget, Service, ServicePort } from '@kurator/client';
import type { NetworkPolicy } from '@kurator/client/networking/v1';
import { labelsOf, namespaceOf, type OperatorDescription, selectorOf } from './description.ts';

/** One for metrics, and one for webhooks under the operator's own name, where the SDK registers them. */
export function services(description: OperatorDescription): Service[] {
  const { name, webhooks } = description;
  const metrics = service(description, `${name}-metrics`, { name: 'http', port: 8080, targetPort: 'http' });
  if (!webhooks) return [metrics];
  return [metrics, service(description, name, { name: 'webhooks', port: 443, targetPort: 'webhooks' })];
}

function service(description: OperatorDescription, name: string, port: ServicePort): Service {
  const labels = { ...labelsOf(description), 'app.kubernetes.io/component': port.name ?? '' };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: namespaceOf(description), labels },
    spec: { selector: selectorOf(description), ports: [port] },
  };
}

/** Nobody reaches anything but the ports that it serves. Where it may go is not limited: an operator talks to the world. */
export function networkPolicy(description: OperatorDescription): NetworkPolicy {
  const { name, webhooks } = description;
  const ports = [{ port: 'http' }, ...(webhooks ? [{ port: 'webhooks' }] : [])];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace: namespaceOf(description), labels: labelsOf(description) },
    spec: {
      podSelector: { matchLabels: selectorOf(description) },
      policyTypes: ['Ingress'],
      ingress: [{ ports: ports.map((port) => ({ ...port, protocol: 'TCP' })) }],
    },
  };
}

/** A drain takes one at a time; one that isn't healthy holds up nobody. */
export function disruptionBudget(description: OperatorDescription): PodDisruptionBudget {
  const { name } = description;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: namespaceOf(description), labels: labelsOf(description) },
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: selectorOf(description) },
    },
  };
}

/** A kind of the Prometheus operator. */
interface ServiceMonitor extends KubernetesObject {
  spec: object;
}

export function serviceMonitor(description: OperatorDescription): ServiceMonitor {
  const { name } = description;
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name, namespace: namespaceOf(description), labels: labelsOf(description) },
    spec: {
      selector: { matchLabels: { ...selectorOf(description), 'app.kubernetes.io/component': 'http' } },
      endpoints: [{ port: 'http', path: '/metrics' }],
    },
  };
}
