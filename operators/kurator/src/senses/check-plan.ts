/** Which checks a Kurator's instances and its Service need now. */
import { type Client, type Pod, Secret, type Service } from '@kurator/sdk';
import { isNotAllowed } from '../access/optional-roles.ts';
import { type Holder, holderOf, type Reach } from '../access/reach.ts';
import { theService } from '../brain/observation.ts';
import type { ServiceSpec } from '../brain/spec.ts';
import type { Millis } from '../brain/time.ts';
import type { ServiceMemory } from '../memory/service-memory.ts';
import type { Kurator } from '../resources/kurator.ts';
import type { HttpExpectation, Probe, TlsSettings } from './checks/check.ts';
import type { PlannedCheck } from './service-checks.ts';
import type { ServiceObjects } from './service-objects.ts';

/** Every check against every instance that can be asked, and against the Service. */
export function planOf(
  kurator: Kurator,
  spec: ServiceSpec,
  objects: ServiceObjects,
  { readSecret, reach }: { readSecret: ReadSecret; reach: Reach },
): PlannedCheck[] {
  return kurator.spec.checks.flatMap((fields): PlannedCheck[] => {
    const check = spec.checks.find(({ name }) => name === fields.name);
    const secret = secretOf(fields);
    // Without the authority that a person named, whatever the check found would be about us.
    if (!check || (secret && readSecret(secret) === undefined)) return [];
    if (check.through === 'service') {
      const probe = objects.service && probeOf(fields, { service: objects.service }, readSecret);
      return probe ? [{ target: theService, check, probe: permitted(probe, reach, 'other') }] : [];
    }
    return objects.pods
      .filter((pod) => canBeAsked(pod, objects))
      .flatMap((pod) => {
        const probe = probeOf(fields, { pod }, readSecret);
        return probe ? [{ target: pod.metadata.uid ?? '', check, probe: permitted(probe, reach, holderOf(pod)) }] : [];
      });
  });
}

/** Kubernetes gives these addresses, so they are no names that could mean another one later. */
function permitted(probe: Probe, reach: Reach, holder: Holder): Probe {
  return probe.kind !== 'exec' && reach.refuses(probe.host, holder) ? { ...probe, isRefused: true } : probe;
}

/** An address that a check was planned for, and that must not be talked to. */
export function refusedAddressIn(plan: readonly PlannedCheck[]): string | undefined {
  for (const { probe } of plan) if (probe.kind !== 'exec' && probe.isRefused) return probe.host;
  return undefined;
}

/**
 * One that is ending has nothing to prove, and its address may soon be another's. Not so on a node that is not heard of:
 * there it may run on without end, and nobody but itself can say so.
 */
function canBeAsked({ metadata, spec, status }: Pod, { nodes }: ServiceObjects): boolean {
  if (status?.phase !== 'Running') return false;
  const isUnheard = () =>
    nodes.some(({ name, gone, ready }) => name === spec?.nodeName && !gone && ready === 'unknown');
  return metadata.deletionTimestamp === undefined || isUnheard();
}

type CheckFields = Kurator['spec']['checks'][number];
type Tls = NonNullable<NonNullable<CheckFields['http']>['tls']>;

/** Whom a check asks. */
export type Target = { readonly pod: Pod } | { readonly service: Service };

/** Reads a Secret's key; undefined where it isn't there. */
export type ReadSecret = (reference: { name: string; key: string }) => string | undefined;

/** What to run; undefined while it can't be said: no address yet, or no such port. */
function probeOf(check: CheckFields, target: Target, readSecret: ReadSecret): Probe | undefined {
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

/** One that was changed is noticed after this long. */
const keptFor = 60_000;
const patience = 3000;

/** One that could not be read may soon be: somebody makes it, or allows it. */
const triedAgainAfter = 3000;

interface Entry {
  readonly at: Millis;
  readonly data: Readonly<Record<string, string>>;
  /** How the last try failed. */
  readonly failed?: 'not allowed' | 'otherwise';
}

/** Reads Secrets, and keeps them for a while. */
export class Secrets {
  readonly #byName = new Map<string, Entry>();
  readonly #now: () => Millis;

  constructor(now: () => Millis) {
    this.#now = now;
  }

  /** Reads what a Kurator's checks refer to; what can't be read is not there. Notes whether the right to it is missing. */
  async load(
    { metadata, spec }: Kurator,
    memory: ServiceMemory,
    client: Client,
    signal: AbortSignal,
  ): Promise<ReadSecret> {
    const { namespace = '' } = metadata;
    const names = new Set(spec.checks.flatMap((check) => secretOf(check)?.name ?? []));
    const known = (name: string) => this.#byName.get(`${namespace}/${name}`);
    for (const name of names) await this.#read(namespace, name, client, signal);
    if ([...names].some((name) => known(name)?.failed === 'not allowed')) memory.missingRoles.add('secrets');
    else memory.missingRoles.delete('secrets');
    return ({ name, key }) => known(name)?.data[key];
  }

  async #read(namespace: string, name: string, client: Client, signal: AbortSignal): Promise<void> {
    const key = `${namespace}/${name}`;
    const known = this.#byName.get(key);
    if (known && this.#now() - known.at < (known.failed ? triedAgainAfter : keptFor)) return;
    try {
      const secret = await client.find(Secret, { name, namespace }, { timeout: patience, signal });
      const data = Object.entries(secret?.data ?? {}).map(([field, value]) => [
        field,
        Buffer.from(value, 'base64').toString('utf8'),
      ]);
      this.#byName.set(key, { at: this.#now(), data: Object.fromEntries(data) });
    } catch (error) {
      signal.throwIfAborted();
      const failed = isNotAllowed(error) ? 'not allowed' : 'otherwise';
      // What was read before is better than nothing.
      this.#byName.set(key, { at: this.#now(), data: known?.data ?? {}, failed });
    }
  }
}

/** The Secret that a check can't do without. */
function secretOf({ http, grpc }: CheckFields): { name: string; key: string } | undefined {
  return (http ?? grpc)?.tls?.caFrom;
}
