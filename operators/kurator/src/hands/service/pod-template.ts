/** The pods of a service that a Kurator describes. */
import {
  type Container,
  checksum,
  type PodTemplateSpec,
  type Probe,
  parseDuration,
  type TopologySpreadConstraint,
  type Volume,
} from '@kurator/sdk';
import type { Kurator } from '../../resources/kurator.ts';
import { kuratorLabel, labelsOf, selectorOf } from '../../resources/ownership.ts';
import { merge } from './merge.ts';

/** What is to be made, as a person wrote it. */
export type ServiceFields = NonNullable<Kurator['spec']['service']>;
type VolumeFields = NonNullable<ServiceFields['volumes']>[number];
type CheckFields = Kurator['spec']['checks'][number];

/** Its ports; `port` is short for one of them. */
export function portsOf({ port, ports = [] }: ServiceFields) {
  return port === undefined ? ports : [{ name: 'main', port, protocol: 'TCP' as const }];
}

/** The ConfigMap's name says what is in it: so a revision that is gone back to finds its own files. */
export function configName({ metadata, spec }: Kurator): string | undefined {
  const { config } = spec.service ?? {};
  return config && `${metadata.name.slice(0, 220)}-config-${checksum(config).slice(0, 10)}`;
}

/** What of a template depends on more than what is described. */
export interface TemplateOptions {
  /** Whether the pods are to be on different nodes, where that can be had. */
  readonly spread: boolean;
}

/** The template of its pods. What a person says in `podTemplate` wins. */
export function podTemplateOf(kurator: Kurator, service: ServiceFields, { spread }: TemplateOptions): PodTemplateSpec {
  const { serviceAccountName, podTemplate = {}, volumes = [] } = service;
  const config = configName(kurator);
  const own: Volume[] = config ? [{ name: 'config', configMap: { name: config } }] : [];
  const all = [...own, ...volumes.flatMap(podVolume)];
  const template: PodTemplateSpec = {
    metadata: { labels: labelsOf(kurator) },
    spec: {
      containers: [container(kurator, service)],
      ...(all.length > 0 && { volumes: all }),
      ...(serviceAccountName && { serviceAccountName }),
      ...(spread && { topologySpreadConstraints: [overNodes(kurator)] }),
    },
  };
  return withSelector(merge(template, podTemplate), kurator);
}

/** A wish: a pod that finds room on one node only runs there. */
function overNodes(kurator: Kurator): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: selectorOf(kurator) },
  };
}

/** Without it the pods would not be the workload's own. */
function withSelector(template: PodTemplateSpec, kurator: Kurator): PodTemplateSpec {
  const labels = { ...template.metadata?.labels, [kuratorLabel]: kurator.metadata.name };
  return { ...template, metadata: { ...template.metadata, labels } };
}

function container(kurator: Kurator, service: ServiceFields): Container {
  const { image, command, args, env, resources, volumes = [], config, configPath } = service;
  const ports = portsOf(service).map(({ name, port, protocol }) => ({ name, containerPort: port, protocol }));
  const readinessProbe = readinessOf(kurator.spec.checks, service);
  const mounts = [
    ...(config ? [{ name: 'config', mountPath: configPath, readOnly: true }] : []),
    ...volumes.map(({ name, mountPath, readOnly }) => ({ name, mountPath, ...(readOnly && { readOnly }) })),
  ];
  return {
    name: 'main',
    image,
    ...(command && { command }),
    ...(args && { args }),
    ...(env && { env: env as NonNullable<Container['env']> }),
    ...(ports.length > 0 && { ports }),
    ...(resources && { resources: resources as NonNullable<Container['resources']> }),
    ...(mounts.length > 0 && { volumeMounts: mounts }),
    ...(readinessProbe && { readinessProbe }),
  };
}

/** Claims are the StatefulSet's own. */
function podVolume({ name, configMap, secret, emptyDir }: VolumeFields): Volume[] {
  if (configMap) return [{ name, configMap: { name: configMap } }];
  if (secret) return [{ name, secret: { secretName: secret } }];
  return emptyDir ? [{ name, emptyDir }] : [];
}

/** A rollout can only be judged by pods that say when they are ready: the first check that a kubelet can run says it. */
function readinessOf(checks: readonly CheckFields[], service: ServiceFields): Probe | undefined {
  const check = checks.find(({ through }) => through === 'instance');
  const handler = check && handlerOf(check, portsOf(service)[0]?.port);
  if (!check || !handler) return undefined;
  const inSeconds = (text: string) => Math.max(1, Math.ceil(parseDuration(text) / 1000));
  return {
    ...handler,
    periodSeconds: inSeconds(check.period),
    timeoutSeconds: inSeconds(check.timeout),
    failureThreshold: check.failAfter,
  };
}

function handlerOf({ tcp, http, grpc, exec }: CheckFields, first: number | undefined): Partial<Probe> | undefined {
  const port = (http ?? tcp ?? grpc)?.port ?? first;
  if (exec) return { exec: { command: exec.command } };
  if (port === undefined) return undefined;
  if (tcp) return { tcpSocket: { port } };
  if (http) {
    const httpHeaders = Object.entries(http.headers ?? {}).map(([name, value]) => ({ name, value }));
    const hosted = http.host ? [...httpHeaders, { name: 'Host', value: http.host }] : httpHeaders;
    return {
      httpGet: {
        path: http.path,
        port,
        ...(http.tls && { scheme: 'HTTPS' }),
        ...(hosted.length > 0 && { httpHeaders: hosted }),
      },
    };
  }
  // A kubelet speaks plain gRPC only, and to a number.
  if (!grpc || grpc.tls || typeof port !== 'number') return undefined;
  return { grpc: { port, service: grpc.service ?? '' } };
}
