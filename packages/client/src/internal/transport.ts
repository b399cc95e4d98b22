import { X509Certificate } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { ClientConfig } from '../config.ts';
import { ClientError } from '../error.ts';
import type { ClientOptions } from '../options.ts';
import { connectTo, createConnector } from './connection/connector.ts';
import { keepPools, type Pools } from './connection/pools.ts';
import { sendRequest } from './connection/undici.ts';
import { openWebSocket } from './connection/web-socket.ts';
import { createCredentials } from './credentials/credentials.ts';
import type { Identity } from './credentials/identity.ts';
import type { Deadline } from './deadline.ts';
import type { HttpAnswer, HttpRequest, HttpStream } from './http.ts';
import { transportError } from './transport-error.ts';

/** Moves bytes to and from one API server; knows HTTP and TLS, and nothing of Kubernetes. */
export interface Transport {
  /** The deadline stays the caller's to end. */
  request(request: HttpRequest, deadline: Deadline): Promise<HttpAnswer>;
  /** Ends the deadline when the stream ends. `idleTimeout`: milliseconds without a byte after which it counts as dead. */
  stream(request: HttpRequest, deadline: Deadline, idleTimeout: number): Promise<HttpStream>;
  /** Opens a WebSocket; the deadline is for that alone, and stays the caller's to end. */
  webSocket(request: HttpRequest, protocols: readonly string[], deadline: Deadline): Promise<WebSocket | HttpAnswer>;
  close(): Promise<void>;
}

export function createTransport(config: ClientConfig, { http = 1 }: ClientOptions = {}): Transport {
  const url = serverUrl(config.server);
  const prefix = url.pathname.replace(/\/+$/, '');
  const credentials = createCredentials(config);
  const keeper = keepPools(config, { origin: url.origin, http });
  const open = new Set<WebSocket>();
  let closed = false;

  const dispatch = async (
    identity: Identity,
    kind: keyof Pools,
    request: HttpRequest,
    deadline: Deadline,
    idle: number,
  ) =>
    await sendRequest(keeper.pools(identity.tls)[kind], {
      method: request.method,
      path: prefix + request.path,
      headers: { ...headersOf(request), ...identity.headers },
      body: request.body ?? null,
      signal: deadline.signal,
      // The deadline's signal does this, for all of the exchange.
      headersTimeout: 0,
      bodyTimeout: idle,
    });

  const send = async (kind: keyof Pools, request: HttpRequest, deadline: Deadline, idle: number) => {
    if (closed) throw clientClosed(request);
    try {
      const identity = credentials.current() ?? (await deadline.race(credentials.load()));
      const answer = await dispatch(identity, kind, request, deadline, idle);
      if (answer.statusCode !== 401) return answer;
      const renewed = credentials.refused(identity) ? await deadline.race(credentials.load()) : identity;
      if (renewed === identity) return withoutExpiredCertificate(answer, identity);
      await answer.body.dump();
      return await dispatch(renewed, kind, request, deadline, idle);
    } catch (error) {
      throw await explain(error, request, deadline);
    }
  };
  const explain = async (error: unknown, { doing }: HttpRequest, deadline: Deadline) =>
    await transportError(error, { server: url.origin, doing, deadline });

  return {
    async request(request, deadline) {
      const { statusCode, headers, body } = await send('requests', request, deadline, 0);
      try {
        return { status: statusCode, headers, text: await body.text() };
      } catch (error) {
        throw await explain(error, request, deadline);
      }
    },

    async stream(request, deadline, idleTimeout) {
      try {
        const { statusCode, headers, body } = await send('streams', request, deadline, idleTimeout);
        const explained = (error: unknown) => explain(error, request, deadline);
        return { status: statusCode, headers, body: guarded(body, deadline, explained) };
      } catch (error) {
        deadline.end();
        throw error;
      }
    },

    async webSocket(request, protocols, deadline) {
      if (closed) throw clientClosed(request);
      try {
        const identity = credentials.current() ?? (await deadline.race(credentials.load()));
        const socket = await deadline.race(connectTo(createConnector(config, identity.tls), url));
        const { signal } = deadline;
        const target = new URL(prefix + request.path, url);
        const opened = await openWebSocket({ url: target, socket, headers: identity.headers, protocols, signal });
        if (!('status' in opened)) {
          open.add(opened);
          opened.once('close', () => open.delete(opened));
        } else if (opened.status === 401) credentials.refused(identity);
        return opened;
      } catch (error) {
        throw await explain(error, request, deadline);
      }
    },

    async close() {
      closed = true;
      for (const webSocket of open) webSocket.terminate();
      await keeper.destroy();
    },
  };
}

function clientClosed({ doing }: HttpRequest): ClientError {
  return new ClientError('KUR_CLIENT_INVALID_REQUEST', `${doing}: the client is closed`);
}

// The server says no more than "Unauthorized"; we can see why.
function withoutExpiredCertificate<T>(answer: T, { tls: { cert } }: Identity): T {
  const validTo = cert === undefined ? undefined : new X509Certificate(cert).validToDate;
  if (!validTo || validTo.getTime() > Date.now()) return answer;
  const message = `the client certificate expired on ${validTo.toUTCString()}: get a new kubeconfig, or renew it`;
  throw new ClientError('KUR_CLIENT_UNAUTHORIZED', message, { status: 401 });
}

function headersOf(request: HttpRequest): Record<string, string> {
  const accept = request.accept ?? 'application/json';
  if (request.body === undefined) return { accept, 'user-agent': 'kurator' };
  return { accept, 'user-agent': 'kurator', 'content-type': request.contentType ?? 'application/json' };
}

/** Leaving the loop early, an error and the stream's end all free the connection and the deadline's timer. */
async function* guarded(
  body: AsyncIterable<Uint8Array>,
  deadline: Deadline,
  explain: (error: unknown) => Promise<unknown>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw await explain(error);
  } finally {
    deadline.end();
  }
}

function serverUrl(server: string): URL {
  if (URL.canParse(server)) return new URL(server);
  throw new ClientError(
    'KUR_CLIENT_INVALID_REQUEST',
    `server "${server}" is not a URL: use one like https://127.0.0.1:6443`,
  );
}
