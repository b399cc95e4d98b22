/** Where a network probe connects to, checked before the first run. */
import { isIP } from 'node:net';
import { must } from '../check.ts';

/** A host with its port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** False: the host is a name, and has to be looked up. */
  readonly isAddress: boolean;
}

const NAME = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_.])?$/i;

/** Throws `InvalidCheck` for what nobody can connect to. */
export function endpointOf({ host, port }: { readonly host: string; readonly port: number }): Endpoint {
  const isAddress = isIP(host) !== 0;
  must(isAddress || NAME.test(host), `host must be an IP address or a DNS name, not ${JSON.stringify(host)}`);
  must(Number.isInteger(port) && port > 0 && port < 65_536, `port must be a whole number from 1 to 65535, not ${port}`);
  return { host, port, isAddress };
}

/** As it stands in a Host header, without the port where it is the scheme's own. */
export function authorityOf({ host, port }: Endpoint, standardPort?: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === standardPort ? name : `${name}:${port}`;
}

/** The name in a Host header: without its port, and without the brackets of an IPv6 address. */
export function nameOfAuthority(authority: string): string {
  return authority.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
}
