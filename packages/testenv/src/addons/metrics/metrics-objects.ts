/** Usage as objects of metrics.k8s.io. Pure. */
import { formatQuantity, type Node, type NodeMetrics, type Pod, type PodMetrics } from '@kurator/client';
import type { Usage } from './usage.ts';

/** The group and version that is served. */
export const metricsApiVersion = 'metrics.k8s.io/v1beta1';

/** The metrics of a node. */
export function nodeMetrics({ metadata }: Node, usage: Usage): NodeMetrics {
  return {
    kind: 'NodeMetrics',
    apiVersion: metricsApiVersion,
    metadata: { name: metadata.name, creationTimestamp: timestamp(Date.now()), ...labelsOf(metadata) },
    ...period([usage]),
    usage: resources(usage),
  };
}

/** The metrics of a pod, container by container. */
export function podMetrics({ metadata }: Pod, containers: ReadonlyMap<string, Usage>): PodMetrics {
  return {
    kind: 'PodMetrics',
    apiVersion: metricsApiVersion,
    metadata: {
      name: metadata.name,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      creationTimestamp: timestamp(Date.now()),
      ...labelsOf(metadata),
    },
    ...period([...containers.values()]),
    containers: [...containers].map(([name, usage]) => ({ name, usage: resources(usage) })),
  };
}

function labelsOf({ labels }: { labels?: Record<string, string> }) {
  return labels ? { labels } : {};
}

/** A pod's figures are as old as its oldest, over its longest window. */
function period(usages: readonly Usage[]): { timestamp: string; window: string } {
  return {
    timestamp: timestamp(Math.min(...usages.map(({ at }) => at))),
    window: `${(Math.max(...usages.map(({ window }) => window)) / 1000).toFixed(3)}s`,
  };
}

function resources({ nanoCores, memoryBytes }: Usage): { cpu: string; memory: string } {
  const kibibytes = (memoryBytes + 1023n) / 1024n;
  return {
    cpu: formatQuantity({ nanos: nanoCores, format: 'DecimalSI' }),
    memory: formatQuantity({ nanos: kibibytes * 1024n * 10n ** 9n, format: 'BinarySI' }),
  };
}

/** RFC 3339 in whole seconds, as Kubernetes writes it. */
function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
