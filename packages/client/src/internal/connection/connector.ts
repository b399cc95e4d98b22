/** Makes connections to the API server: directly or through a proxy, with TLS where it is https. */
import { connect, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import type { ClientConfig } from '../../config.ts';
import type { TlsMaterial } from '../credentials/identity.ts';
import { environmentProxy } from './environment-proxy.ts';
import { openTunnel } from './tunnel.ts';

/** Makes one connection, ready to be used. */
export type Connector = () => Promise<Socket>;

const CONNECT_TIMEOUT = 10_000;
const KEEP_ALIVE = 30_000;

/** The server did not take the connection, or not finish the handshake, in time. */
class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'CONNECT_TIMEOUT';
}

export function createConnector(config: ClientConfig, url: URL, tls: TlsMaterial): Connector {
  const secure = url.protocol === 'https:';
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (secure ? 443 : 80)) };
  const proxyUrl = config.proxyUrl ?? environmentProxy(url);
  const name = config.tlsServerName ?? target.host;
  // A resumed session saves the server a signature for each further connection.
  let session: Buffer | undefined;
  return async () => {
    const tunnel = proxyUrl ? await openTunnel(proxyUrl, target, CONNECT_TIMEOUT) : undefined;
    if (!secure) return await established(tunnel ?? connect(target), 'connect', tunnel !== undefined);
    const socket = connectTls({
      ...(tunnel ? { socket: tunnel } : target),
      ...tls,
      ...(session ? { session } : {}),
      // An address is no server name (RFC 6066).
      servername: isIP(name) ? '' : name,
      // Left to itself, Node would take the other end of the socket for the server, which may be a proxy.
      checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
      rejectUnauthorized: !config.insecureSkipTlsVerify,
      ALPNProtocols: ['http/1.1'],
    });
    socket.on('session', (ticket: Buffer) => {
      session = ticket;
    });
    try {
      return await established(socket, 'secureConnect', false);
    } catch (error) {
      session = undefined;
      throw error;
    }
  };
}

async function established<S extends Socket | TLSSocket>(socket: S, event: string, already: boolean): Promise<S> {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE);
  if (already) return socket;
  const { promise, resolve, reject } = Promise.withResolvers<S>();
  const timer = setTimeout(() => socket.destroy(new ConnectTimeout('no connection in time')), CONNECT_TIMEOUT);
  socket.once(event, () => resolve(socket));
  socket.once('error', reject);
  socket.once('close', onClose);
  function onClose() {
    reject(Object.assign(new Error('the connection was closed while it was made'), { code: 'ECONNRESET' }));
  }
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.off('error', reject);
    socket.off('close', onClose);
    // Whoever takes it over listens for itself; until then an error must not end the process.
    socket.on('error', () => {});
  }
}
