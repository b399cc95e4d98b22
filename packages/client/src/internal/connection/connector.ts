import type { Socket } from 'node:net';
import type { buildConnector as Build } from 'undici';
import type { ClientConfig } from '../../config.ts';
import type { TlsMaterial } from '../credentials/identity.ts';
import { openTunnel } from './tunnel.ts';
import { buildConnector } from './undici.ts';

const CONNECT_TIMEOUT = 10_000;

/** Makes connections to the API server, as undici wants them: directly or through a proxy, with TLS where it is https. */
export function createConnector(config: ClientConfig, tls: TlsMaterial, http2 = false): Build.connector {
  const direct = buildConnector({
    timeout: CONNECT_TIMEOUT,
    keepAlive: true,
    allowH2: http2,
    ...(http2 ? { preferH2: true } : {}),
    ...tls,
    ...(config.tlsServerName === undefined ? {} : { servername: config.tlsServerName }),
    ...(config.insecureSkipTlsVerify ? { rejectUnauthorized: false } : {}),
  });
  const { proxyUrl } = config;
  if (proxyUrl === undefined) return direct;
  return (options, callback) => {
    const secure = options.protocol === 'https:';
    const target = { host: options.hostname, port: Number(options.port || (secure ? 443 : 80)) };
    openTunnel(proxyUrl, target, CONNECT_TIMEOUT).then(
      (socket) => (secure ? direct({ ...options, httpSocket: socket }, callback) : callback(null, socket)),
      (error: Error) => callback(error, null),
    );
  };
}

/** One connection for a use of its own, such as a WebSocket. */
export async function connectTo(connector: Build.connector, url: URL): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const { hostname, host, protocol, port } = url;
  connector({ hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port }, (...[error, socket]) =>
    error ? reject(error) : resolve(socket as Socket),
  );
  return await promise;
}
