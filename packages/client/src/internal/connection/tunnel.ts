/** A way through a proxy to one address: by HTTP's CONNECT, or by SOCKS 5. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { ClientError } from '../../error.ts';
import type { Address } from './address.ts';
import { socksHandshake } from './socks.ts';

/** Opens the way; what comes back is a connection to `target` itself. */
export async function openTunnel(proxyUrl: string, target: Address, timeout: number): Promise<Socket> {
  const proxy = new URL(proxyUrl);
  const signal = AbortSignal.timeout(timeout);
  try {
    return await (/^socks5h?:$/.test(proxy.protocol) ? bySocks : byConnect)(proxy, target, signal);
  } catch (cause) {
    if (cause instanceof ClientError) throw cause;
    throw refused(proxy, signal.aborted ? 'it did not answer in time' : (cause as Error).message, cause);
  }
}

async function byConnect(proxy: URL, target: Address, signal: AbortSignal): Promise<Socket> {
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  // Most programs need no proxy: they shouldn't pay 10 MiB for it.
  const { request: requestOf } = await (proxy.protocol === 'https:' ? import('node:https') : import('node:http'));
  const request = requestOf({
    host: bare(proxy.hostname),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...authorization(proxy) },
    agent: false,
    signal,
  });
  request.end();
  const [response, socket, head] = (await once(request, 'connect', { signal })) as [IncomingMessage, Socket, Buffer];
  if (response.statusCode !== 200) {
    socket.destroy();
    throw refused(proxy, `it answers ${response.statusCode} to CONNECT ${authority}`);
  }
  if (head.length > 0) socket.unshift(head);
  return socket;
}

async function bySocks(proxy: URL, target: Address, signal: AbortSignal): Promise<Socket> {
  const socket = connect(Number(proxy.port || 1080), bare(proxy.hostname));
  const abort = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await once(socket, 'connect', { signal });
    const credentials = proxy.username
      ? { user: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) }
      : undefined;
    await socksHandshake(socket, target, credentials);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function authorization({ username, password }: URL): Record<string, string> {
  if (!username) return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

// The URL itself may hold a password.
function refused(proxy: URL, why: string, cause?: unknown): ClientError {
  const message = `no way through the proxy ${proxy.protocol}//${proxy.host}: ${why}`;
  return new ClientError('KUR_CLIENT_UNREACHABLE', message, cause === undefined ? {} : { cause });
}
