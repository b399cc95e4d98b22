/** What surrounds the pods: Services, who may reach them, how many a drain may take, and who reads their metrics. */
import type { KubernetesObject, PodDisruptionBudget, Service, ServicePort } from '@kurator/client';
import type { NetworkPolicy } from '@kurator/client/networking/v1';
import { HTTP_PORT, labelsOf, METRICS_PORT, namespaceOf, type OperatorDescription, selectorOf } from './description.ts';
import { metricsReader } from './metrics-reader.ts';

/** One for metrics, and one for webhooks under the operator's own name, where the SDK registers them. */
export function services(description: OperatorDescription): Service[] {
  const { name, webhooks } = description;
  const metrics = service(description, `${name}-metrics`, metricsPort(description));
  if (!webhooks) return [metrics];
  return [metrics, service(description, name, { name: 'webhooks', port: 443, targetPort: 'webhooks' })];
}

function metricsPort({ authorizedMetrics }: OperatorDescription): ServicePort {
  return authorizedMetrics
    ? { name: 'metrics', port: METRICS_PORT, targetPort: 'metrics' }
    : { name: 'http', port: HTTP_PORT, targetPort: 'http' };
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
  const { name, webhooks, authorizedMetrics } = description;
  const ports = [
    { port: 'http' },
    ...(authorizedMetrics ? [{ port: 'metrics' }] : []),
    ...(webhooks ? [{ port: 'webhooks' }] : []),
  ];
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
  const { name, authorizedMetrics } = description;
  const port = metricsPort(description).name;
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name, namespace: namespaceOf(description), labels: labelsOf(description) },
    spec: {
      selector: { matchLabels: { ...selectorOf(description), 'app.kubernetes.io/component': port } },
      endpoints: [{ port, path: '/metrics', ...(authorizedMetrics ? believed(description) : {}) }],
    },
  };
}

/**
 * Prometheus shows a token that is good for nothing but these metrics, never its own, and only to a server whose certificate is by the
 * authority in the operator's Secret.
 */
function believed(description: OperatorDescription): object {
  const secret = `${description.name}-metrics`;
  return {
    scheme: 'https',
    authorization: { credentials: { name: metricsReader(description), key: 'token' } },
    tlsConfig: {
      ca: { secret: { name: secret, key: 'ca.crt' } },
      serverName: `${secret}.${namespaceOf(description)}.svc`,
    },
  };
}
