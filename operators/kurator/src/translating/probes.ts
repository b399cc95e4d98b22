/** From a check of a Kurator to what is run, for one instance or for the Service. */
import type { Pod, Service } from '@kurator/sdk';
import type { HttpExpectation, Probe, TlsSettings } from '../checks/check.ts';
import type { Kurator } from '../resources/kurator.ts';

type CheckFields = Kurator['spec']['checks'][number];
type Tls = NonNullable<NonNullable<CheckFields['http']>['tls']>;

/** Whom a check asks. */
export type Target = { readonly pod: Pod } | { readonly service: Service };

/** Reads a Secret's key; undefined where it isn't there. */
export type ReadSecret = (reference: { name: string; key: string }) => string | undefined;

/** What to run; undefined while it can't be said: no address yet, or no such port. */
export function probeOf(check: CheckFields, target: Target, readSecret: ReadSecret): Probe | undefined {
  if (check.exec) return execProbe(check.exec, target);
  const host = addressOf(target);
  const { tcp, http, grpc } = check;
  const port = portOf((http ?? tcp ?? grpc)?.port, target);
  if (!host || port === undefined) return undefined;
  if (tcp) return { kind: 'tcp', host, port };
  if (http) return httpProbe(http, { host, port }, readSecret);
  const { service, tls } = grpc ?? {};
  return { kind: 'grpc', host, port, ...(service && { service }), ...(tls && { tls: tlsOf(tls, readSecret) }) };
}

function execProbe({ command, container }: NonNullable<CheckFields['exec']>, target: Target): Probe | undefined {
  if (!('pod' in target)) return undefined;
  const { metadata, spec } = target.pod;
  const first = container ?? spec?.containers[0]?.name;
  if (!first) return undefined;
  return { kind: 'exec', namespace: metadata.namespace ?? '', pod: metadata.name, container: first, command };
}

function httpProbe(
  http: NonNullable<CheckFields['http']>,
  place: { host: string; port: number },
  readSecret: ReadSecret,
): Probe {
  const { method, path, host, headers, tls, redirects, statuses, responseHeaders, bodyContains, bodyMatches } = http;
  const expect: HttpExpectation = {
    statuses: statuses.map(rangeOf),
    ...(responseHeaders && { headers: responseHeaders }),
    ...(bodyContains && { bodyContains }),
    ...(bodyMatches && { bodyMatches }),
  };
  return {
    kind: 'http',
    ...place,
    method,
    path,
    redirects,
    expect,
    ...(host && { hostHeader: host }),
    ...(headers && { headers }),
    ...(tls && { tls: tlsOf(tls, readSecret) }),
  };
}

function rangeOf(text: string): readonly [number, number] {
  const [from = 0, to = from] = text.split('-').map(Number);
  return [from, to];
}

function tlsOf({ serverName, caFrom, skipVerify }: Tls, readSecret: ReadSecret): TlsSettings {
  const ca = caFrom && readSecret(caFrom);
  return { ...(serverName && { serverName }), ...(ca && { ca }), ...(skipVerify && { skipVerify }) };
}

function addressOf(target: Target): string | undefined {
  if ('pod' in target) return target.pod.status?.podIP;
  const { clusterIP } = target.service.spec ?? {};
  return clusterIP === 'None' ? undefined : clusterIP;
}

/** By number, by name, or the first there is. */
function portOf(port: string | number | undefined, target: Target): number | undefined {
  if (typeof port === 'number') return port;
  const named = 'pod' in target ? podPorts(target.pod) : servicePorts(target.service);
  if (port === undefined) return named[0]?.number;
  if (/^\d+$/.test(port)) return Number(port);
  return named.find(({ name }) => name === port)?.number;
}

function podPorts({ spec }: Pod) {
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.map(({ name, containerPort }) => ({ name, number: containerPort }));
}

function servicePorts({ spec }: Service) {
  return (spec?.ports ?? []).map(({ name, port }) => ({ name, number: port }));
}
