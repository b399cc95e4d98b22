/** The options of webhooks, checked and completed. */
import { isIP } from 'node:net';
import { parseDuration } from '../../duration.ts';
import { RuntimeError } from '../../error.ts';
import type { CertificateFolder, OwnCertificates, UrlAddress, WebhookAddress, WebhooksOptions } from '../options.ts';
import type { Registrant } from './registration.ts';

export interface OwnSettings {
  readonly secret: string;
  /** Milliseconds. */
  readonly authorityLifetime: number;
  readonly lifetime: number;
  readonly overlap: number;
}

export interface Settings {
  readonly host: string | undefined;
  readonly port: number;
  /** Milliseconds. */
  readonly drainDelay: number;
  readonly limits: Required<NonNullable<WebhooksOptions['limits']>>;
  readonly certificates: OwnSettings | CertificateFolder;
  /** What the certificate must be for. */
  readonly names: readonly string[];
  /** @param port the one that is listened on. */
  registrant(port: number): Registrant;
}

const MEBIBYTE = 2 ** 20;
const PORT = 9443;
// More than a few API servers open, at their busiest; each costs some 50 KiB.
const CONNECTIONS = 512;
// Longer than kube-proxy and the API server take to hear that a pod is leaving, in a cluster that is well.
const SERVICE_DRAIN = '5s';

export function settingsOf(options: WebhooksOptions): Settings {
  const { name, namespace, address, listen = {}, certificates = {}, limits = {} } = options;
  if (!/^[a-z0-9]([-a-z0-9.]{0,200}[a-z0-9])?$/.test(name)) {
    throw invalid(
      'name',
      `"${name}" must be of lower-case letters, digits, dashes and dots: objects are called after it`,
    );
  }
  if (!namespace) throw invalid('namespace', 'must be the namespace that the operator runs in');
  const port = listen.port ?? PORT;
  const injectCaFrom = 'folder' in certificates ? certificates.injectCaFrom : undefined;
  return {
    host: listen.host,
    port,
    drainDelay: parseDuration(options.drainDelay ?? ('url' in address ? 0 : SERVICE_DRAIN), 'drainDelay'),
    limits: {
      admission: limits.admission ?? 8 * MEBIBYTE,
      conversion: limits.conversion ?? 32 * MEBIBYTE,
      connections: limits.connections ?? CONNECTIONS,
    },
    certificates: 'folder' in certificates ? certificates : ownSettings(certificates, name),
    names: namesOf(address, namespace, port || PORT),
    registrant: (actual) => ({
      name,
      namespace,
      injectCaFrom,
      temporary: options.temporary ?? false,
      address:
        'url' in address ? { url: originOf(address, actual).origin } : { service: serviceOf(address, namespace) },
    }),
  };
}

/**
 * The most bytes of all requests together, by the most of each: twice the largest, and where that would be more than
 * 32 MiB, no more than one of the largest. Parsed and answered, a request takes many times its bytes, of the 512 MiB that a
 * pod has unless it says otherwise.
 */
export function mostInAll(limits: readonly number[]): number {
  const largest = Math.max(0, ...limits);
  return Math.min(2 * largest, Math.max(largest, 32 * MEBIBYTE));
}

function ownSettings(given: OwnCertificates, name: string): OwnSettings {
  const authorityLifetime = parseDuration(given.authorityLifetime ?? '365d', 'certificates.authorityLifetime');
  const lifetime = parseDuration(given.lifetime ?? '90d', 'certificates.lifetime');
  const overlap = parseDuration(given.overlap ?? '1h', 'certificates.overlap');
  if (lifetime <= 0 || lifetime > authorityLifetime) {
    throw invalid('certificates.lifetime', 'must be longer than nothing, and no longer than authorityLifetime');
  }
  // Of the last third of an authority's time, half is for the overlap; the rest for trouble on the way.
  if (overlap <= 0 || overlap > authorityLifetime / 6) {
    throw invalid('certificates.overlap', 'must be longer than nothing, and at most a sixth of authorityLifetime');
  }
  return { secret: given.secret ?? `${name}-webhooks`, authorityLifetime, lifetime, overlap };
}

function serviceOf({ service, namespace, port = 443 }: Exclude<WebhookAddress, UrlAddress>, own: string) {
  return { name: service, namespace: namespace ?? own, port };
}

function namesOf(address: WebhookAddress, own: string, port: number): string[] {
  if ('url' in address) {
    const host = originOf(address, port).hostname.replace(/^\[|\]$/g, '');
    return [isIP(host) ? host : host.toLowerCase()];
  }
  const { name, namespace } = serviceOf(address, own);
  if (!name) throw invalid('address.service', 'must be the name of a Service');
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
}

function originOf({ url }: UrlAddress, port: number): URL {
  const text = typeof url === 'string' ? url : url(port);
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const bare = parsed && parsed.pathname === '/' && !parsed.search && !parsed.hash && !parsed.username;
  if (!bare || parsed.protocol !== 'https:') {
    throw invalid('address.url', `"${text}" must be https://HOST:PORT with nothing after it`);
  }
  return parsed;
}

function invalid(option: string, message: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_INVALID_OPTION', `${option}: ${message}`);
}
