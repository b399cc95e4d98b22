/** Small services of three instances, as people would write them: made by somebody else, or described to the healer. */
import { BUSYBOX_IMAGE } from '@kurator/testenv';

/** What a service runs on. */
export type WorkloadKind = 'Deployment' | 'StatefulSet';

/** A web server that answers at once. */
export const answering = 'mkdir -p /www && echo hello >/www/index.html && exec httpd -f -p 8080 -h /www';

/** A web server that has a page only as long as another one answers, which it asks every second. */
export function needing(url: string): string {
  const asks = `timeout 1 wget -q -O /dev/null ${url}`;
  const follows = `while :; do if ${asks}; then echo hello >/www/index.html; else rm -f /www/index.html; fi; sleep 1; done`;
  return `mkdir -p /www && { ${follows} & } && exec httpd -f -p 8080 -h /www`;
}

/** Without a share of its own each would starve as soon as one of them is busy. */
const fairShare = { requests: { cpu: '50m' } };

/** What may differ from one service to the next. */
export interface Shape {
  /** What its only container runs, in a shell. */
  readonly script?: string;
  readonly replicas?: number;
  /** Whether the kubelet asks it too, without which a rollout goes on whatever becomes of it. */
  readonly isProbed?: boolean;
  /** How long an instance serves on when it is told to end, in seconds: until everybody knows; one unless given. */
  readonly grace?: number;
  /** How a Deployment comes to a new revision, if not one instance after the other. */
  readonly strategy?: 'Recreate';
  /** Whether no node may have more of its instances than another. */
  readonly isSpread?: boolean;
  /** Whether the containers of an instance see each other's processes, and the first of them is Kubernetes' own. */
  readonly sharesProcesses?: boolean;
  readonly resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}

/** A workload with everything but its kind. */
export function workload(app: string, shape: Shape = {}) {
  const { script = answering, replicas = 3, resources = fairShare, isProbed = false, isSpread = false } = shape;
  const { strategy, sharesProcesses } = shape;
  const labels = { app };
  const container = {
    name: 'main',
    image: BUSYBOX_IMAGE,
    command: ['sh', '-c', script],
    ports: [{ name: 'http', containerPort: 8080 }],
    resources,
    ...(isProbed && { readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 } }),
  };
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'DoNotSchedule' as const,
    nodeTaintsPolicy: 'Honor' as const,
    labelSelector: { matchLabels: labels },
  };
  const spec = {
    terminationGracePeriodSeconds: shape.grace ?? 1,
    ...(sharesProcesses && { shareProcessNamespace: true }),
    containers: [container],
    topologySpreadConstraints: isSpread ? [spread] : [],
  };
  const template = { metadata: { labels }, spec };
  return {
    metadata: { name: app, namespace: 'default' },
    // A StatefulSet that starts one after the other would only take longer.
    spec: {
      replicas,
      selector: { matchLabels: labels },
      serviceName: app,
      podManagementPolicy: 'Parallel',
      template,
      ...(strategy && { strategy: { type: strategy } }),
    },
  };
}

/** The same, as the healer makes it. */
export function service(kind: WorkloadKind, { script = answering, replicas = 3, resources = fairShare }: Shape = {}) {
  return {
    kind,
    image: BUSYBOX_IMAGE,
    command: ['sh', '-c', script],
    port: 8080,
    replicas,
    resources,
    podTemplate: { spec: { terminationGracePeriodSeconds: 1 } },
  };
}
