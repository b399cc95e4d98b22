/** Answers requests for metrics.k8s.io/v1beta1. Knows what to say, and nothing of TLS or sockets. */
import {
  type Client,
  ClientError,
  type KubernetesObject,
  type ListOptions,
  Node,
  Pod,
  type Status,
} from '@kurator/client';
import { messageOf } from '../../error.ts';
import {
  groupDocument,
  groupListDocument,
  openApiV2Document,
  openApiV3Document,
  resourcesDocument,
} from './discovery.ts';
import { metricsApiVersion, nodeMetrics, podMetrics } from './metrics-objects.ts';
import type { NodeUsage } from './usage.ts';

/** A request that was let in. */
export interface MetricsRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** What the caller would like to get. */
  readonly accept: string;
}

export interface MetricsAnswer {
  readonly status: number;
  readonly body: object;
}

export interface MetricsApiOptions {
  /** Knows which nodes and pods there are, and evaluates selectors. */
  client: Client;
  usage(node: string): NodeUsage | undefined;
}

/** Gets the parts of the path; answers with undefined where there is nothing to say. */
type Route = (parts: Readonly<Record<string, string>>, selectors: ListOptions) => Promise<object | undefined>;

/** Makes the function that answers. */
export function createMetricsApi({ client, usage }: MetricsApiOptions) {
  const metricsOfNode = (node: Node) => {
    const known = usage(node.metadata.name)?.node;
    return known && nodeMetrics(node, known);
  };
  const metricsOfPod = (pod: Pod) => {
    const { name, namespace } = pod.metadata;
    const known = usage(pod.spec?.nodeName ?? '')?.pods.get(`${namespace}/${name}`);
    return known && podMetrics(pod, known);
  };
  const listNodes: Route = async (_, selectors) =>
    listOf('NodeMetricsList', (await client.list(Node, selectors)).items.map(metricsOfNode));
  const listPods: Route = async ({ namespace }, selectors) => {
    const fieldSelector = [selectors.fieldSelector, 'status.phase=Running'].filter(Boolean).join(',');
    const { items } = await client.list(Pod, { ...selectors, fieldSelector, namespace });
    return listOf('PodMetricsList', items.map(metricsOfPod));
  };

  const api = '/apis/metrics.k8s.io';
  const routes: Readonly<Record<string, Route>> = {
    '/openapi/v2': async () => openApiV2Document,
    '/openapi/v3': async () => openApiV3Document,
    '/apis': async () => groupListDocument,
    [api]: async () => groupDocument,
    [`${api}/v1beta1`]: async () => resourcesDocument,
    [`${api}/v1beta1/nodes`]: listNodes,
    [`${api}/v1beta1/nodes/:name`]: async ({ name = '' }) => metricsOfNode(await client.get(Node, { name })),
    [`${api}/v1beta1/pods`]: listPods,
    [`${api}/v1beta1/namespaces/:namespace/pods`]: listPods,
    [`${api}/v1beta1/namespaces/:namespace/pods/:name`]: async ({ namespace, name = '' }) =>
      metricsOfPod(await client.get(Pod, { namespace, name })),
  };

  return async function answer({ method, url, accept }: MetricsRequest): Promise<MetricsAnswer> {
    const { pathname, searchParams } = new URL(url, 'https://metrics');
    const path = pathname.replace(/\/$/, '');
    const found = findRoute(routes, path);
    if (!found) return failure(404, 'NotFound', 'the server could not find the requested resource');
    if (method !== 'GET' || searchParams.has('watch')) {
      return failure(405, 'MethodNotAllowed', 'metrics can be got and listed, not watched or written');
    }
    // Being told so, the aggregator asks for the older discovery documents, which are all that is served here.
    if (path === '/apis' && accept.includes('as=APIGroupDiscoveryList')) {
      return failure(406, 'NotAcceptable', 'only APIGroupList is served');
    }
    try {
      const body = await found.route(found.parts, selectorsIn(searchParams));
      return body ? { status: 200, body } : failure(404, 'NotFound', `no metrics are known for ${path}`);
    } catch (error) {
      return refusal(error);
    }
  };
}

function findRoute(routes: Readonly<Record<string, Route>>, path: string) {
  const given = path.split('/').map(decodeURIComponent);
  for (const [pattern, route] of Object.entries(routes)) {
    const wanted = pattern.split('/');
    if (wanted.length !== given.length) continue;
    const isVariable = (part: string) => part.startsWith(':');
    if (!wanted.every((part, index) => isVariable(part) || part === given[index])) continue;
    const parts = wanted.flatMap((part, index) => (isVariable(part) ? [[part.slice(1), given[index]]] : []));
    return { route, parts: Object.fromEntries(parts) as Record<string, string> };
  }
  return undefined;
}

function listOf(kind: string, items: readonly (KubernetesObject | undefined)[]): object {
  return { kind, apiVersion: metricsApiVersion, metadata: {}, items: items.filter((item) => item !== undefined) };
}

function selectorsIn(query: URLSearchParams): ListOptions {
  const labelSelector = query.get('labelSelector');
  const fieldSelector = query.get('fieldSelector');
  return { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) };
}

function refusal(error: unknown): MetricsAnswer {
  if (error instanceof ClientError && error.status) {
    return failure(error.status, error.reason ?? 'InternalError', error.message);
  }
  return failure(500, 'InternalError', messageOf(error));
}

/** A failure in the form that every Kubernetes client understands. */
export function failure(status: number, reason: string, message: string): MetricsAnswer {
  const body: Status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code: status };
  return { status, body };
}
