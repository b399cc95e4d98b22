import { APIService, type Client, ClusterRole, EndpointSlice, Service } from '@kurator/client';
import { metricsApiVersion } from './metrics-objects.ts';

/** Where the metrics server listens, and whom its certificate is signed by. */
export interface MetricsEndpoint {
  /** An IPv4 address that the API server can reach. */
  address: string;
  port: number;
  /** PEM. */
  caBundle: string;
}

const place = { name: 'kurator-metrics', namespace: 'kube-system' };
const fieldManager = 'kurator-metrics';
const force = { fieldManager, force: true };

/** The names that the API server expects in the metrics server's certificate. */
export const metricsServerNames: readonly string[] = [`${place.name}.${place.namespace}.svc`];

/**
 * Tells the API server to ask the metrics server about metrics.k8s.io. The API server must look up endpoints itself
 * (`--enable-aggregator-routing`), because no kube-proxy runs beside it.
 */
export async function registerMetricsApi(client: Client, { address, port, caBundle }: MetricsEndpoint): Promise<void> {
  const [group, version] = metricsApiVersion.split('/') as [string, string];
  await Promise.all([
    client.apply(
      Service,
      { metadata: place, spec: { ports: [{ name: 'https', port: 443, targetPort: port }] } },
      force,
    ),
    client.apply(
      EndpointSlice,
      {
        metadata: { ...place, labels: { 'kubernetes.io/service-name': place.name } },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports: [{ name: 'https', port, protocol: 'TCP' }],
      },
      force,
    ),
    client.apply(
      ClusterRole,
      {
        metadata: { name: 'system:aggregated-metrics-reader', labels: aggregateTo('view', 'edit', 'admin') },
        rules: [{ apiGroups: [group], resources: ['pods', 'nodes'], verbs: ['get', 'list'] }],
      },
      force,
    ),
  ]);
  await client.apply(
    APIService,
    {
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { ...place, port: 443 },
        caBundle: Buffer.from(caBundle).toString('base64'),
      },
    },
    force,
  );
}

/** So that whoever may look at a namespace may look at its pods' metrics. */
function aggregateTo(...roles: string[]): Record<string, string> {
  return Object.fromEntries(roles.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']));
}
