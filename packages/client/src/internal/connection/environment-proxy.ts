/** Which proxy the environment names for an address: by the rules of Go's programs, so that what works for kubectl works here. */
import { BlockList, isIP, isIPv6 } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined where none is to be gone through. What is on this machine is always reached directly. */
export function environmentProxy(target: URL, environment: Environment = process.env): string | undefined {
  const secure = target.protocol === 'https:';
  const given = secure ? variable(environment, 'HTTPS_PROXY') : variable(environment, 'HTTP_PROXY');
  if (given === '') return undefined;
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = target.port || (secure ? '443' : '80');
  if (host === 'localhost' || isLoopback(host)) return undefined;
  const exceptions = variable(environment, 'NO_PROXY')
    .split(',')
    .map((part) => part.trim().toLowerCase());
  if (exceptions.some((exception) => excepts(exception, host, port))) return undefined;
  return given.includes('://') ? given : `http://${given}`;
}

function variable(environment: Environment, name: string): string {
  return environment[name] || environment[name.toLowerCase()] || '';
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  return isIP(host) !== 0 && loopback.check(host, familyOf(host));
}

/** An exception is `*`, an address, a range of them, a domain with all below it, or `.domain` for those below it only. */
function excepts(exception: string, host: string, port: string): boolean {
  if (exception === '') return false;
  if (exception === '*') return true;
  const [, range = '', length] = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(exception) ?? [];
  if (isIP(range)) return isIP(host) !== 0 && isWithin(host, range, Number(length));
  const { name, port: only } = nameAndPort(exception);
  if (only !== undefined && only !== port) return false;
  if (isIP(host)) return name === host;
  const domain = name.replace(/^\*\./, '.');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function isWithin(host: string, range: string, length: number): boolean {
  if (length > (isIPv6(range) ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(range, length, familyOf(range));
  return list.check(host, familyOf(host));
}

function nameAndPort(exception: string): { name: string; port: string | undefined } {
  if (isIPv6(exception)) return { name: exception, port: undefined };
  const [, bracketed, plain = exception, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(exception) ?? [];
  return { name: bracketed ?? plain, port };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
