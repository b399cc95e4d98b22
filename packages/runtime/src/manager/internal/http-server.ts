/** A small HTTP server for probes, metrics and the debug page: reads only, answers soon, says nothing by accident. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { type AddressInfo, isIPv6 } from 'node:net';
import { messageOf, RuntimeError } from '../../error.ts';

export interface HttpServerOptions {
  /** Address to listen on; all of the machine's unless given. */
  readonly host?: string;
  /** 8080 unless given; 0 for any that is free. */
  readonly port?: number;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Question {
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Whether it was asked from this machine, for this machine: by `kubectl port-forward`, or a shell in the pod. */
  readonly local: boolean;
}

export type Route = (question: Question) => Promise<Answer> | Answer;

export interface HttpServer {
  /** Begins to listen; gives the URL by which this machine reaches it. */
  listen(): Promise<string>;
  /** Ends what is under way, and stops listening. */
  close(): Promise<void>;
  /** Serves another certificate from now on. */
  use(pair: Certified): void;
}

/** A certificate and its key, as PEM. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

const PORT = 8080;

// The first is for TLS alone.
const limits = {
  handshakeTimeout: 10_000,
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 60_000,
  maxHeaderSize: 16_384,
};

/** @param pair Over TLS, with this certificate; in the clear unless given. */
export function createHttpServer(
  routes: Readonly<Record<string, Route>>,
  options: HttpServerOptions = {},
  pair?: Certified,
): HttpServer {
  const { host, port = PORT } = options;
  let server: Server | TlsServer | undefined;
  return {
    async listen() {
      // Loaded when it is needed: it takes 10 MiB.
      const answer = (request: IncomingMessage, response: ServerResponse) => void respond(routes, request, response);
      server = pair
        ? (await import('node:https')).createServer({ ...limits, ...pair }, answer)
        : (await import('node:http')).createServer(limits, answer);
      await listening(server, { host, port, option: pair ? 'http.metricsPort' : 'http.port' });
      return `${pair ? 'https' : 'http'}://${authorityOf(server.address() as AddressInfo)}`;
    },
    async close() {
      const closed = new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
      server?.closeAllConnections();
      await closed;
    },
    use(pair) {
      if (server && 'setSecureContext' in server) server.setSecureContext(pair);
    },
  };
}

interface Where {
  readonly host: string | undefined;
  readonly port: number;
  /** What the port is given by. */
  readonly option: string;
}

async function listening(server: Server | TlsServer, { host, port, option }: Where): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = `${host ?? '*'}:${port}`;
      const remedy =
        error.code === 'EADDRINUSE'
          ? `end what listens there, or give ${option} another number (0: any that is free)`
          : `give http.host an address of this machine, and ${option} a number that this user may listen on`;
      reject(
        new RuntimeError('KUR_RUNTIME_LISTEN', `can't listen on ${where}: ${error.message}`, { cause: error, remedy }),
      );
    });
    server.listen(host === undefined ? { port } : { port, host }, resolve);
  });
}

function authorityOf({ address, port }: AddressInfo): string {
  const reachable = address === '::' || address === '0.0.0.0' ? '127.0.0.1' : address;
  return `${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

async function respond(
  routes: Readonly<Record<string, Route>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, contentType, body, headers } = await answerTo(routes, request);
  const always = { 'content-type': contentType, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  response.writeHead(status, { ...always, ...headers });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerTo(routes: Readonly<Record<string, Route>>, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { ...text(405, 'only GET and HEAD'), headers: { allow: 'GET, HEAD' } };
  }
  // The path is all that is used of it; the base is only there to make it parse.
  const base = 'http://manager';
  const url = URL.canParse(request.url ?? '', base) ? new URL(request.url ?? '', base) : new URL(base);
  const path = url.pathname.length > 1 ? url.pathname.replace(/\/$/, '') : url.pathname;
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!route) return text(404, `there is only ${Object.keys(routes).join(', ')}`);
  try {
    return await route({ query: url.searchParams, headers: request.headers, local: isLocal(request) });
  } catch (error) {
    return text(500, messageOf(error));
  }
}

// Both: a proxy beside us also connects from here, and a page in a browser can be made to ask under another name.
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const from = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const name = headers.host?.replace(/:\d+$/, '') ?? '';
  return /^(127\.\d+\.\d+\.\d+|::1)$/.test(from) && /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(name);
}

export function text(status: number, body: string): Answer {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${body}\n` };
}

export function json(status: number, body: unknown): Answer {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(body, null, 2)}\n` };
}
