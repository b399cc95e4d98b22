/** The operator's pods: several, apart from each other, as the `restricted` Pod Security Standard wants them. */
import type { Container, Deployment, EnvVar, PodSpec } from '@kurator/client';
import {
  DEFAULT_RESOURCES,
  DIGEST_ANNOTATION,
  HTTP_PORT,
  labelsOf,
  METRICS_PORT,
  NONROOT,
  namespaceOf,
  type OperatorDescription,
  selectorOf,
  WEBHOOK_PORT,
} from './description.ts';

export function deployment(description: OperatorDescription): Deployment {
  const { name, replicas = 2 } = description;
  const labels = labelsOf(description);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: namespaceOf(description), labels },
    spec: {
      replicas,
      selector: { matchLabels: selectorOf(description) },
      template: {
        metadata: { labels, annotations: podAnnotations(description) },
        spec: podSpec(description),
      },
    },
  };
}

function podAnnotations({ imageDigest }: OperatorDescription): Record<string, string> {
  const digest = imageDigest ? { [DIGEST_ANNOTATION]: imageDigest } : {};
  return { 'kubectl.kubernetes.io/default-container': 'operator', ...digest };
}

function podSpec(description: OperatorDescription): PodSpec {
  const { name, imagePullSecrets = [] } = description;
  return {
    serviceAccountName: name,
    ...(imagePullSecrets.length > 0 ? { imagePullSecrets: imagePullSecrets.map((secret) => ({ name: secret })) } : {}),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: NONROOT,
      runAsGroup: NONROOT,
      fsGroup: NONROOT,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              topologyKey: 'kubernetes.io/hostname',
              labelSelector: { matchLabels: selectorOf(description) },
            },
          },
        ],
      },
    },
    containers: [container(description)],
    volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
  };
}

function container(description: OperatorDescription): Container {
  const { image, imagePullPolicy = 'IfNotPresent', resources = DEFAULT_RESOURCES } = description;
  const { webhooks, authorizedMetrics } = description;
  return {
    name: 'operator',
    image,
    imagePullPolicy,
    env: [...ownVariables(description), ...(description.env ?? [])],
    ports: [
      { name: 'http', containerPort: HTTP_PORT },
      ...(authorizedMetrics ? [{ name: 'metrics', containerPort: METRICS_PORT }] : []),
      ...(webhooks ? [{ name: 'webhooks', containerPort: WEBHOOK_PORT }] : []),
    ],
    // A busy moment is no reason to be killed; only a process that has been stuck for a minute is.
    livenessProbe: {
      httpGet: { path: '/healthz', port: 'http' },
      periodSeconds: 10,
      failureThreshold: 6,
      timeoutSeconds: 5,
    },
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 5, timeoutSeconds: 5 },
    resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  };
}

/** Where it lives is told by the cluster, where it works by whoever installs it. */
function ownVariables({ namespaces }: OperatorDescription): EnvVar[] {
  return [
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    ...(namespaces ? [{ name: 'WATCH_NAMESPACE', value: namespaces.join(',') }] : []),
  ];
}
