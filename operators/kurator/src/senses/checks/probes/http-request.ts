/** The text of a check's HTTP request: made once, sent in each run. */
import type { HttpProbe } from '../check.ts';
import { must } from '../check.ts';
import { authorityOf, type Endpoint } from './endpoint.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** No line breaks or other control characters: they would end the header and begin another. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const PATH = /^\/[\x21-\x7e]*$/;
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i;

/** Set by the probe itself: another value would make its answer unreadable. */
const reserved = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'te', 'trailer']);

/** A request but for its path, which a redirect may change. */
export interface RequestPlan {
  readonly method: string;
  readonly path: string;
  /** What the Host header says. */
  readonly authority: string;
  /** What follows the path. */
  readonly rest: string;
}

/** Throws `InvalidCheck` for what can't be put into a request. */
export function requestPlanOf(probe: HttpProbe, endpoint: Endpoint): RequestPlan {
  const method = probe.method ?? 'GET';
  must(TOKEN.test(method), `method must be a token such as GET, not ${JSON.stringify(method)}`);
  must(method !== 'CONNECT', 'method must not be CONNECT: its answer is a tunnel');
  const path = probe.path ?? '/';
  must(PATH.test(path), `path must begin with / and be percent-encoded, not ${JSON.stringify(path)}`);
  const authority = probe.hostHeader ?? authorityOf(endpoint, probe.tls ? 443 : 80);
  must(AUTHORITY.test(authority), `hostHeader must be a name with an optional port, not ${JSON.stringify(authority)}`);
  const headers = headersText(probe.headers ?? {});
  return { method, path, authority, rest: ` HTTP/1.1\r\nHost: ${authority}\r\n${headers}Connection: close\r\n\r\n` };
}

/** The bytes to send, one character each. */
export function requestText({ method, rest }: RequestPlan, path: string): string {
  return `${method} ${path}${rest}`;
}

function headersText(given: Readonly<Record<string, string>>): string {
  const lines = new Map([
    ['user-agent', 'User-Agent: kurator-check\r\n'],
    ['accept', 'Accept: */*\r\n'],
  ]);
  for (const [name, value] of Object.entries(given)) {
    must(TOKEN.test(name), `headers: ${JSON.stringify(name)} is not a header's name`);
    must(!reserved.has(name.toLowerCase()), `headers: ${name} is set by the check itself`);
    must(FIELD_VALUE.test(value), `headers: the value of ${name} has characters that no header may have`);
    lines.set(name.toLowerCase(), `${name}: ${value}\r\n`);
  }
  return [...lines.values()].join('');
}
