import type { IncomingHttpHeaders } from 'node:http';
import { Pool } from 'undici';
import type { ClientConfig } from '../config.ts';
import { ClientError } from '../error.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { transportError } from './transport-error.ts';

/** Verbs that the API server knows. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request, before the transport adds address and credentials. */
export interface HttpRequest {
  readonly method: HttpMethod;
  readonly path: string;
  /** What is being done, in words, for messages: `get Pod default/web`. */
  readonly doing: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** An answer that is still coming in. */
export interface HttpStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Moves bytes to and from one API server; knows HTTP and TLS, and nothing of Kubernetes. */
export interface Transport {
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** `idleTimeout`: milliseconds without a byte after which the stream counts as dead. */
  stream(request: HttpRequest & { idleTimeout: number }): Promise<HttpStream>;
  close(): Promise<void>;
}

// The API server closes connections that were idle for 90 s; ours must be quicker, or a request meets a closed one.
const KEEP_ALIVE = 60_000;
const CONNECT_TIMEOUT = 10_000;
// Enough for any number of workers that two cores can feed; more only makes a burst of TLS handshakes.
const REQUEST_CONNECTIONS = 32;

export function createTransport(config: ClientConfig): Transport {
  const url = serverUrl(config.server);
  const prefix = url.pathname.replace(/\/+$/, '');
  const options = {
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE,
    keepAliveMaxTimeout: KEEP_ALIVE,
    connect: {
      timeout: CONNECT_TIMEOUT,
      keepAlive: true,
      allowH2: false,
      ...(config.ca === undefined ? {} : { ca: config.ca }),
      ...(config.cert === undefined ? {} : { cert: config.cert, key: config.key }),
      ...(config.tlsServerName === undefined ? {} : { servername: config.tlsServerName }),
      ...(config.insecureSkipTlsVerify ? { rejectUnauthorized: false } : {}),
    },
  };
  const requests = new Pool(url.origin, { ...options, connections: REQUEST_CONNECTIONS });
  // Streams hold their connection for minutes: were they to share the pool, enough of them would starve the requests.
  const streams = new Pool(url.origin, { ...options, connections: null });
  const headersOf = (request: HttpRequest) => ({
    accept: request.accept ?? 'application/json',
    'user-agent': 'kurator',
    ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
    ...(config.token === undefined ? {} : { authorization: `Bearer ${config.token}` }),
  });
  const send = (pool: Pool, request: HttpRequest, deadline: Deadline, idleTimeout: number) =>
    pool.request({
      method: request.method,
      path: prefix + request.path,
      headers: headersOf(request),
      body: request.body ?? null,
      signal: deadline.signal,
      headersTimeout: request.timeout,
      bodyTimeout: idleTimeout,
    });
  const explain = (error: unknown, request: HttpRequest, deadline: Deadline) =>
    transportError(error, { server: url.origin, request, expired: deadline.expired() });

  return {
    async request(request) {
      const deadline = startDeadline(request.timeout, request.signal);
      try {
        const { statusCode, headers, body } = await send(requests, request, deadline, request.timeout);
        return { status: statusCode, headers, text: await body.text() };
      } catch (error) {
        throw explain(error, request, deadline);
      } finally {
        deadline.end();
      }
    },

    async stream(request) {
      const deadline = startDeadline(request.timeout, request.signal);
      try {
        const { statusCode, headers, body } = await send(streams, request, deadline, request.idleTimeout);
        return {
          status: statusCode,
          headers,
          body: guarded(body, deadline, (error) => explain(error, request, deadline)),
        };
      } catch (error) {
        deadline.end();
        throw explain(error, request, deadline);
      }
    },

    async close() {
      await Promise.all([requests.destroy(), streams.destroy()]);
    },
  };
}

/** Leaving the loop early, an error and the stream's end all free the connection and the deadline's timer. */
async function* guarded(
  body: AsyncIterable<Uint8Array>,
  deadline: Deadline,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw explain(error);
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
