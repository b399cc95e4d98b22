/** A cluster of real nodes with the healer in it, and the same service twice: once in its care, once in Kubernetes' own. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Kurator, optionalRoles } from '@kurator/operator-kurator';
import { type Client, Deployment, Pod, Service, waitFor } from '@kurator/sdk';
import { type Cluster, createCluster } from '@kurator/testenv';
import type { KuratorFields } from '../../e2e/support/healer/healer-world.ts';
import { runHealer } from '../../e2e/support/healer/run-healer.ts';
import { type Shape, workload } from '../../e2e/support/healer/services.ts';

/** Who looks after a service. */
export type Keeper = 'kurator' | 'kubernetes';
export const keepers: readonly Keeper[] = ['kurator', 'kubernetes'];

/** The same for both: how often it is looked at, how long an answer may take, and how many failures in a row count. */
export const PERIOD_SECONDS = 1;
const TIMEOUT_SECONDS = 1;
export const FAILURES = 3;
const namespace = 'default';
const READY = 120_000;

/** Where trials take place. */
export interface Arena extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: Client;
  /** Something outside of the cluster that services may need; it answers as it is told. */
  readonly outside: { readonly url: string; isWell: boolean };
}

/** What a service is, besides three instances of a web server that answers at once. */
export interface Served extends Pick<Shape, 'script' | 'replicas' | 'resources'> {
  /** Fields of its Kurator. */
  readonly kurator?: KuratorFields;
}

export async function openArena(name: string): Promise<Arena> {
  const { cluster } = await createCluster({ name, nodes: 3, fastFailureDetection: true });
  const client = await cluster.client();
  let isWell = true;
  const server = createServer((_, response) => response.writeHead(isWell ? 200 : 503).end());
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await client.close();
    await cluster.down();
  };
  try {
    await runHealer(cluster, client, { rules: optionalRoles.metrics });
    const { host = '127.0.0.1' } = await cluster.status();
    await listening(server, host);
    const url = `http://${host}:${(server.address() as AddressInfo).port}/`;
    const outside = {
      url,
      get isWell() {
        return isWell;
      },
      set isWell(value: boolean) {
        isWell = value;
      },
    };
    return { cluster, client, outside, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listening(server: Server, host: string): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
}

/**
 * Both have a readiness probe, as every service should; Kubernetes' own also has a liveness probe, the healer's its checks.
 * Gives the Service, once all are well.
 */
export async function startService(
  { client }: Arena,
  name: string,
  keeper: Keeper,
  { kurator = {}, ...shape }: Served,
): Promise<Service> {
  const { metadata, spec } = workload(name, shape);
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
  if (keeper === 'kurator') await adopt(client, name, kurator);
  const isReady = ({ status }: Deployment) =>
    status?.readyReplicas === spec.replicas && status.updatedReplicas === spec.replicas;
  await waitFor(client, Deployment, { name, namespace }, isReady, { description: 'to be ready', timeout: READY });
  if (keeper === 'kurator') await untilProven(client, name);
  return made;
}

async function adopt(client: Client, name: string, fields: KuratorFields): Promise<void> {
  const times = { period: `${PERIOD_SECONDS}s`, timeout: `${TIMEOUT_SECONDS}s` };
  const check = { http: {}, ...times, failAfter: FAILURES };
  // Connections are what loss is seen in: the more of them, the sooner.
  const loss = Array.from({ length: 8 }, (_, i) => ({ tcp: {}, ...times, failAfter: 10, name: `tcp-${i}` }));
  const recovery = { provenAfter: '2s', stability: '10s', nodeGrace: '5s', ...fields.recovery };
  await client.create(Kurator, {
    metadata: { name, namespace },
    spec: { targetRef: { kind: 'Deployment', name }, checks: [check, ...loss], ...fields, recovery },
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

/** Those that are not on their way out, by name. */
export async function podsOf(client: Client, name: string): Promise<Pod[]> {
  const { items } = await client.list(Pod, { namespace, labelSelector: `app=${name}` });
  const staying = items.filter(({ metadata }) => !metadata.deletionTimestamp);
  return staying.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
}

export async function endService({ client }: Arena, name: string): Promise<void> {
  const reference = { name, namespace };
  await client.delete(Kurator, reference).catch(() => {});
  await client.delete(Service, reference).catch(() => {});
  await client.delete(Deployment, reference).catch(() => {});
}
