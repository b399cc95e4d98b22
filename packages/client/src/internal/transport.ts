import { X509Certificate } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ClientConfig } from '../config.ts';
import { ClientError } from '../error.ts';
import { createConnector } from './connection/connector.ts';
import { openWebSocket } from './connection/web-socket.ts';
import { createCredentials } from './credentials/credentials.ts';
import type { Identity } from './credentials/identity.ts';
import type { Deadline } from './deadline.ts';
import { type Engine, letOut, type WireRequest } from './engine.ts';
import { keepEngines } from './engine-keeper.ts';
import type { HttpAnswer, HttpMethod, HttpRequest, HttpStream } from './http.ts';
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

export function createTransport(config: ClientConfig): Transport {
  const url = serverUrl(config.server);
  const { origin } = url;
  const prefix = url.pathname.replace(/\/+$/, '');
  const credentials = createCredentials(config);
  const engines = keepEngines(config, url);
  const open = new Set<WebSocket>();
  let closed = false;

  const explain = async (error: unknown, { doing }: HttpRequest, deadline: Deadline) =>
    await transportError(error, { server: origin, doing, deadline });

  /** Sends it by `go`; once more if the server doesn't know us and we can find out who we are now. */
  const send = async <A extends HttpAnswer | HttpStream>(
    request: HttpRequest,
    deadline: Deadline,
    go: (engine: Engine, wire: WireRequest) => Promise<A>,
  ): Promise<A> => {
    if (closed) throw clientClosed(request);
    const identity = credentials.current() ?? (await deadline.race(credentials.load()));
    const answer = await attempt(request, identity, go);
    if (answer.status !== 401) return answer;
    const renewed = credentials.refused(identity) ? await deadline.race(credentials.load()) : identity;
    if (renewed === identity) return withoutExpiredCertificate(answer, identity);
    if ('body' in answer) await answer.body[Symbol.asyncIterator]().return?.();
    return await attempt(request, renewed, go);
  };
  const attempt = async <A extends HttpAnswer | HttpStream>(
    request: HttpRequest,
    identity: Identity,
    go: (engine: Engine, wire: WireRequest) => Promise<A>,
  ): Promise<A> => {
    const { method, body, guard } = request;
    const path = prefix + request.path;
    const ended = announce({ origin, method, path });
    try {
      const headers = { ...headersOf(request), ...identity.headers };
      const answer = await go(engines.engine(identity.tls), { method, path, headers, body, guard });
      ended(answer.status);
      return answer;
    } catch (error) {
      ended(undefined);
      throw error;
    }
  };

  return {
    async request(request, deadline) {
      try {
        return await send(request, deadline, (engine, wire) => engine.exchange(wire, deadline));
      } catch (error) {
        throw await explain(error, request, deadline);
      }
    },

    async stream(request, deadline, idleTimeout) {
      try {
        const go = (engine: Engine, wire: WireRequest) => engine.open(wire, deadline, idleTimeout);
        const { status, headers, body } = await send(request, deadline, go);
        const explained = (error: unknown) => explain(error, request, deadline);
        return { status, headers, body: guarded(body, deadline, explained) };
      } catch (error) {
        deadline.end();
        throw await explain(error, request, deadline);
      }
    },

    async webSocket(request, protocols, deadline) {
      if (closed) throw clientClosed(request);
      try {
        const identity = credentials.current() ?? (await deadline.race(credentials.load()));
        const socket = await inTime(createConnector(config, url, identity.tls)(), deadline);
        const { signal } = deadline;
        const target = new URL(prefix + request.path, url);
        const guard = () => letOut(request.guard);
        const opened = await openWebSocket({
          url: target,
          socket,
          headers: identity.headers,
          protocols,
          signal,
          guard,
        });
        if (!('status' in opened)) {
          if (closed) opened.terminate();
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
      engines.destroy();
    },
  };
}

/** A connection that comes too late has nobody to close it. */
async function inTime(connecting: Promise<Socket>, deadline: Deadline): Promise<Socket> {
  try {
    return await deadline.race(connecting);
  } catch (error) {
    connecting.then(
      (socket) => socket.destroy(),
      () => {},
    );
    throw error;
  }
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

/** A request as it is announced. */
interface AnnouncedRequest {
  readonly origin: string;
  readonly method: HttpMethod;
  readonly path: string;
}

const requests = channel('kurator:client:request');
const answers = channel('kurator:client:answer');

/**
 * Every exchange with an API server is announced on two channels of node:diagnostics_channel, so that metrics, tests and
 * tracing tools see it without a wrapper that every request would pay for.
 *
 *   kurator:client:request  { request }            before it is sent, in the context of whoever asked for it
 *   kurator:client:answer   { request, status }    status: undefined if none came
 *
 * `request` is the same object in both: { origin, method, path }. What comes back announces how it ended.
 */
function announce(request: AnnouncedRequest): (status: number | undefined) => void {
  if (requests.hasSubscribers) requests.publish({ request });
  return (status) => {
    if (answers.hasSubscribers) answers.publish({ request, status });
  };
}
