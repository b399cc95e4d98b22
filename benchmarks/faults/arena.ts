/** A cluster of real nodes with the healer in it, and the same service twice: once in its care, once in Kubernetes' own. */
import { Kurator } from '@kurator/operator-kurator';
import { type Client, Deployment, Pod, Service, waitFor } from '@kurator/sdk';
import { type Cluster, createCluster } from '@kurator/testenv';
import { runHealer } from '../../e2e/support/healer/run-healer.ts';
import { workload } from '../../e2e/support/healer/services.ts';

/** Who looks after a service. */
export type Keeper = 'kurator' | 'kubernetes';
export const keepers: readonly Keeper[] = ['kurator', 'kubernetes'];

/** The same for both: how often it is looked at, how long an answer may take, and how many failures in a row count. */
const PERIOD_SECONDS = 1;
const TIMEOUT_SECONDS = 1;
const FAILURES = 3;
const namespace = 'default';
const READY = 120_000;

export interface Arena extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: Client;
}

export async function openArena(name: string): Promise<Arena> {
  const { cluster } = await createCluster({ name, nodes: 2 });
  const client = await cluster.client();
  const close = async () => {
    await client.close();
    await cluster.down();
  };
  try {
    await runHealer(cluster, client);
  } catch (error) {
    await close();
    throw error;
  }
  return { cluster, client, [Symbol.asyncDispose]: close };
}

/** Both have a readiness probe, as every service should; Kubernetes' own also has a liveness probe, the healer's its checks. */
export async function startService({ client }: Arena, name: string, keeper: Keeper): Promise<number> {
  const { metadata, spec } = workload(name);
  const { serviceName: _, podManagementPolicy: __, ...common } = spec;
  const probe = {
    httpGet: { path: '/', port: 8080 },
    periodSeconds: PERIOD_SECONDS,
    timeoutSeconds: TIMEOUT_SECONDS,
    failureThreshold: FAILURES,
  };
  const containers = spec.template.spec.containers.map((container) => ({
    ...container,
    readinessProbe: probe,
    ...(keeper === 'kubernetes' && { livenessProbe: probe }),
  }));
  const template = { ...spec.template, spec: { ...spec.template.spec, containers } };
  await client.create(Deployment, { metadata, spec: { ...common, template } });
  const made = await client.create(Service, {
    metadata,
    spec: { type: 'NodePort', selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] },
  });
  if (keeper === 'kurator') await adopt(client, name);
  const isReady = ({ status }: Deployment) => status?.readyReplicas === 3 && status.updatedReplicas === 3;
  await waitFor(client, Deployment, { name, namespace }, isReady, { description: 'to be ready', timeout: READY });
  if (keeper === 'kurator') await untilProven(client, name);
  const port = made.spec?.ports?.[0]?.nodePort;
  if (!port) throw new Error(`the Service ${name} has no port on the nodes`);
  return port;
}

async function adopt(client: Client, name: string): Promise<void> {
  const check = { http: {}, period: `${PERIOD_SECONDS}s`, timeout: `${TIMEOUT_SECONDS}s`, failAfter: FAILURES };
  // Connections are what loss is seen in: the more of them, the sooner.
  const loss = { tcp: {}, period: `${PERIOD_SECONDS}s`, timeout: `${TIMEOUT_SECONDS}s`, failAfter: 10 };
  const checks = [check, ...Array.from({ length: 8 }, (_, i) => ({ ...loss, name: `tcp-${i}` }))];
  await client.create(Kurator, {
    metadata: { name, namespace },
    spec: { targetRef: { kind: 'Deployment', name }, checks, recovery: { provenAfter: '2s', stability: '10s' } },
  } as never);
}

/** Only a revision that was seen healthy can be gone back to. */
async function untilProven(client: Client, name: string): Promise<void> {
  const isProven = ({ status }: Kurator) => {
    const memory = status?.memory as { history?: { revisions?: { healthy?: unknown[] } } } | undefined;
    return status?.health === 'Healthy' && (memory?.history?.revisions?.healthy?.length ?? 0) > 0;
  };
  await waitFor(client, Kurator, { name, namespace }, isProven, { description: 'to be known well', timeout: READY });
}

export async function podsOf(client: Client, name: string): Promise<Pod[]> {
  const { items } = await client.list(Pod, { namespace, labelSelector: `app=${name}` });
  return items.filter(({ metadata }) => !metadata.deletionTimestamp);
}

export async function endService({ client }: Arena, name: string): Promise<void> {
  const reference = { name, namespace };
  await client.delete(Kurator, reference).catch(() => {});
  await client.delete(Service, reference);
  await client.delete(Deployment, reference);
}
