/** Where registries are, and whom to believe. */
import { BlockList, isIP } from 'node:net';
import { RegistryError } from './error.ts';

/** How one registry is reached; for that one alone. */
export interface RegistrySettings {
  /**
   * Where it is, if not where its name says; `http://…` for one that speaks plain HTTP. Unless told, a registry on this
   * machine (`localhost`, `127.0.0.1`) speaks plain HTTP, and every other one HTTPS.
   */
  readonly url?: string;
  /** Certificates (PEM) of authorities that are believed in the place of the machine's. */
  readonly ca?: string;
  /** Whether any certificate is believed, and so anybody who stands in between. Default: no. */
  readonly insecure?: boolean;
}

/** Programs that stand between here and registries, by what they are for. */
export interface ProxySettings {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts and ranges of addresses that are reached without, as in `NO_PROXY`; this machine (`localhost`, `127.0.0.1`) always is. */
  readonly except?: string | undefined;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/;

/** Whether a host, which may have a port, is this machine itself. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Whether a host is an address in one of the ranges of a `NO_PROXY`, such as `10.0.0.0/8`. Names are undici's part. */
export function isInRange({ hostname }: URL, except: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(address);
  if (family === 0) return false;
  const ranges = new BlockList();
  for (const range of except.split(/[\s,]+/)) {
    const [net = '', prefix = '', ...more] = range.split('/');
    const isRange = isIP(net) > 0 && more.length === 0 && /^\d+$/.test(prefix);
    const isFit = Number(prefix) <= (isIP(net) === 6 ? 128 : 32);
    if (isRange && isFit) ranges.addSubnet(net, Number(prefix), isIP(net) === 6 ? 'ipv6' : 'ipv4');
  }
  return ranges.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Where registries are whose name is not their address. */
const ELSEWHERE: Readonly<Record<string, string>> = { 'docker.io': 'https://registry-1.docker.io' };

/** The address of a registry. @param host As image names begin with it. */
export function registryUrl(host: string, { url }: RegistrySettings = {}): URL {
  const text = url ?? ELSEWHERE[host] ?? `${isLoopback(host) ? 'http' : 'https'}://${host}`;
  const parsed = URL.parse(text);
  const isPlain =
    parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && !parsed.search && !parsed.hash;
  if (isPlain && !parsed.username && !parsed.password) return parsed;
  throw new RegistryError('KUR_REGISTRY_SETTING', `"${withoutUser(text)}" is not the URL of a registry (${host}).`, {
    remedy: 'Write http://host:port or https://host:port, and nothing more.',
    registry: host,
  });
}

/** The proxies that an environment names: `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case. */
export function proxiesOf(environment: NodeJS.ProcessEnv): ProxySettings {
  const named = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  return { http: named('HTTP_PROXY'), https: named('HTTPS_PROXY'), except: named('NO_PROXY') };
}

function withoutUser(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//…@');
}
