import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Client } from '@kurator/client';
import { messageOf } from '../../error.ts';
import { type Reporter, silent } from '../../reporter.ts';
import { createMetricsApi, failure, type MetricsAnswer } from './metrics-api.ts';
import { type KubeletAddress, type KubeletCredentials, startScraper } from './scraper.ts';

export interface MetricsServerOptions {
  client: Client;
  kubelets: readonly KubeletAddress[];
  kubeletCredentials: KubeletCredentials;
  /** PEM; its certificate must be for one of `metricsServerNames`. */
  serving: { readonly cert: string; readonly key: string };
  /** Who may ask: holders of a certificate of this authority (PEM) with one of these names. */
  frontProxy: { readonly ca: string; readonly names: readonly string[] };
  /** The address to listen at. */
  host: string;
  /** A free one unless given. */
  port?: number;
  /** Milliseconds between two looks at a kubelet; 10 s unless told. */
  interval?: number;
  reporter?: Reporter;
}

/** A server of metrics.k8s.io. */
export interface MetricsServer extends AsyncDisposable {
  readonly port: number;
  stop(): Promise<void>;
}

/** Begins to watch the kubelets, and to answer the API server's questions about them. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const {
    client,
    kubelets,
    kubeletCredentials,
    serving,
    frontProxy,
    host,
    port = 0,
    interval,
    reporter = silent,
  } = options;
  const server = createServer({
    ...serving,
    ca: frontProxy.ca,
    requestCert: true,
    // Strangers are turned away by an answer that says why, not by a broken handshake.
    rejectUnauthorized: false,
  });
  server.listen(port, host);
  await once(server, 'listening');
  const scraper = startScraper({
    kubelets,
    credentials: kubeletCredentials,
    reporter,
    ...(interval === undefined ? {} : { interval }),
  });
  const answer = createMetricsApi({ client, usage: scraper.usage });

  async function respond(request: IncomingMessage): Promise<MetricsAnswer> {
    if (!isFrontProxy(request.socket as TLSSocket, frontProxy.names)) {
      return failure(401, 'Unauthorized', 'only the API server may ask here: ask it for metrics.k8s.io instead');
    }
    const { method = '', url = '/', headers } = request;
    try {
      return await answer({ method, url, accept: headers.accept ?? '' });
    } catch (error) {
      // A path that can't be decoded.
      return failure(400, 'BadRequest', messageOf(error));
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await respond(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/healthz') response.end('ok');
    else void serve(request, response);
  });

  async function stop(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await Promise.all([closed, scraper.stop()]);
  }
  return { port: (server.address() as AddressInfo).port, stop, [Symbol.asyncDispose]: stop };
}

function isFrontProxy(socket: TLSSocket, names: readonly string[]): boolean {
  if (!socket.authorized) return false;
  const { CN } = socket.getPeerCertificate().subject;
  return typeof CN === 'string' && names.includes(CN);
}
