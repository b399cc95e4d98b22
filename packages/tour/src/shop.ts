/** The tour's shop: four services that depend on each other, as a person would describe them to Kubernetes and to Kurator. */
import { extname, join } from 'node:path';
import type { KubernetesObject } from '@kurator/client';
import type { ActionContext } from '@kurator/command';
import { type ImageArchive, imageFromNodeBundle } from '@kurator/testenv';

/** One of the services. */
export interface ShopService {
  readonly name: string;
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly replicas: number;
  readonly dependsOn: readonly string[];
}

export const NAMESPACE = 'shop';
const IMAGE = 'shop:tour';
const PORT = 8080;

/** Customers come in at the first; in the order in which they are shown. */
export const services: readonly ShopService[] = [
  { name: 'front', kind: 'Deployment', replicas: 2, dependsOn: ['cart', 'catalogue'] },
  { name: 'cart', kind: 'Deployment', replicas: 3, dependsOn: [] },
  { name: 'catalogue', kind: 'Deployment', replicas: 2, dependsOn: ['database'] },
  { name: 'database', kind: 'StatefulSet', replicas: 1, dependsOn: [] },
];

/** The image that all four run. */
export async function shopImage({
  reporter,
  signal,
}: Pick<ActionContext, 'reporter' | 'signal'>): Promise<ImageArchive> {
  const program = join(import.meta.dirname, `shop-process${extname(import.meta.filename)}`);
  return await imageFromNodeBundle(program, { name: IMAGE }, { reporter, signal });
}

/** Everything that the shop is, in the order in which it is applied. */
export function shopManifests(alertsTo: string): KubernetesObject[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    ...services.flatMap((service) => [serviceOf(service), workloadOf(service)]),
    alertChannel(alertsTo),
    ...services.map(kuratorOf),
  ];
}

interface Declared extends KubernetesObject {
  readonly spec: object;
}

function metadataOf({ name }: ShopService) {
  return { name, namespace: NAMESPACE, labels: { app: name } };
}

/** Customers come from outside the cluster: the front has a port on every node. */
function serviceOf(service: ShopService): Declared {
  const type = service === services[0] ? 'NodePort' : 'ClusterIP';
  const spec = { type, selector: { app: service.name }, ports: [{ port: 80, targetPort: PORT }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: metadataOf(service), spec };
}

function workloadOf(service: ShopService): Declared {
  const { name, kind, replicas } = service;
  const labels = { app: name };
  const spec = {
    replicas,
    selector: { matchLabels: labels },
    ...(kind === 'StatefulSet' && { serviceName: name }),
    template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [containerOf(service)] } },
  };
  return { apiVersion: 'apps/v1', kind, metadata: metadataOf(service), spec };
}

function containerOf({ name, dependsOn }: ShopService) {
  return {
    name: 'main',
    image: IMAGE,
    env: [
      { name: 'NAME', value: name },
      { name: 'DEPENDS_ON', value: dependsOn.join(',') },
    ],
    ports: [{ name: 'http', containerPort: PORT }],
    resources: { requests: { cpu: '50m', memory: '64Mi' } },
    readinessProbe: { httpGet: { path: '/alive', port: 'http' }, periodSeconds: 1 },
  };
}

/** Quicker than anybody would set them: a tour has a minute, and its incidents follow each other closely. */
function kuratorOf({ name, kind, dependsOn }: ShopService): Declared {
  return {
    apiVersion: 'kurator.sh/v1alpha1',
    kind: 'Kurator',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      targetRef: { kind, name },
      checks: [{ http: { path: '/' }, period: '1s', timeout: '1s' }],
      dependsOn,
      // They start in a second or two; the first fault comes when they are hardly older.
      startupGrace: '10s',
      recovery: { provenAfter: '2s', coolDown: '1s', stability: '10s' },
    },
  };
}

function alertChannel(url: string): Declared {
  return {
    apiVersion: 'kurator.sh/v1alpha1',
    kind: 'AlertChannel',
    metadata: { name: 'tour', namespace: NAMESPACE },
    spec: { webhook: { url }, default: true, minSeverity: 'warning' },
  };
}
