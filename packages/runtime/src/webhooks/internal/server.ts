/**
 * The HTTPS server of the webhooks. HTTP/1.1, because that is all that API servers speak to webhooks; HTTP/2 would only
 * add ways to be attacked.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { KeyPair } from '@kurator/pki';
import { RuntimeError } from '../../error.ts';
import type { Logger } from '../../insight/late-logger.ts';
import { Bodies } from './body.ts';
import { Refusal } from './refusal.ts';

export interface Route {
  /** The most bytes of a body. */
  readonly limit: number;
  /** @param gone fires when nobody waits for the answer any more. */
  answer(body: string, query: URLSearchParams, gone: AbortSignal): Promise<object>;
}

export interface HookServerOptions {
  readonly host: string | undefined;
  readonly port: number;
  /** The most connections, and the most bytes of bodies that are held at the same time. */
  readonly connections: number;
  readonly bytes: number;
  readonly logger: Logger;
  readonly routes: ReadonlyMap<string, Route>;
  /** Why it should not be sent anything; undefined when it may be. */
  unready(): string | undefined;
  onBegin(path: string): void;
  onEnd(path: string, status: number, seconds: number): void;
}

// An API server drops a connection that was idle for 90 s. Were we the first to do so, a request might already be on
// its way, and would fail: nobody sends a POST twice. It also keeps connections that it made and then did not need;
// for Node, those are requests whose headers are late.
const PATIENCE = 150_000;
const HANDSHAKE_WITHIN = 10_000;
// How often those are looked for that nobody uses, once there should be no more connections.
const SWEEP = 250;
// An API server sends what it asks at once: who takes longer is slow, or means to be.
const SLOW_BODY = 2_000;

interface Connection {
  readonly socket: Socket;
  /** Whether anything was ever asked on it. */
  used: boolean;
  /** Questions that are not answered yet. */
  open: number;
  /** Since when a question has been coming in that is not whole yet. */
  asksSince: number | undefined;
}

type Reply = { readonly status: number; readonly body: object | string };

export class HookServer {
  readonly #options: HookServerOptions;
  readonly #server: Server;
  readonly #bodies: Bodies;
  /**
   * By who made them, since a TLS connection is not the socket that it came on; those that were without a question for
   * the longest time first.
   */
  readonly #connections = new Map<string, Connection>();
  #served: KeyPair | undefined;
  #leaving = false;

  constructor(options: HookServerOptions) {
    this.#options = options;
    this.#bodies = new Bodies(options.bytes);
    const timeouts = { keepAliveTimeout: PATIENCE, headersTimeout: PATIENCE, requestTimeout: PATIENCE };
    this.#server = createServer({ ...timeouts, handshakeTimeout: HANDSHAKE_WITHIN }, (request, response) => {
      this.#asked(request, response);
      void this.#respond(request, response);
    });
    this.#server.on('connection', (socket: Socket) => this.#admit(socket));
    // A handshake that fails is the other side's trouble: a scanner, or somebody who does not trust us.
    this.#server.on('tlsClientError', (error: NodeJS.ErrnoException) =>
      options.logger.debug({ reason: error.code ?? error.message }, 'a TLS handshake failed'),
    );
  }

  get served(): KeyPair | undefined {
    return this.#served;
  }

  /** Serves this certificate to whoever connects from now on; connections that there are stay. */
  use(pair: KeyPair): void {
    if (this.#served?.pem === pair.pem) return;
    this.#server.setSecureContext({ cert: pair.pem, key: pair.exportKey() });
    this.#served = pair;
  }

  /** @returns the port. */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) => {
        const remedy = 'give listen.port a number that is free and that this user may listen on';
        const message = `can't listen on ${host ?? '*'}:${port}: ${cause.message}`;
        reject(new RuntimeError('KUR_RUNTIME_LISTEN', message, { cause, remedy }));
      });
      this.#server.listen(host === undefined ? { port } : { port, host }, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on, every answer asks the caller to find another server for its next question. */
  leave(): void {
    this.#leaving = true;
  }

  /** Takes no more connections, and resolves when the last answer was given. */
  async close(): Promise<void> {
    const sweep = setInterval(() => this.#destroyUnused(), SWEEP);
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    clearInterval(sweep);
  }

  /** Breaks off what is under way. */
  abort(): void {
    this.#server.closeAllConnections();
    this.#destroyUnused();
  }

  #destroyUnused(): void {
    for (const { socket, used } of this.#connections.values()) if (!used) socket.destroy();
  }

  /** Where there are too many, one makes room: nobody who is slow or asks nothing can keep the API server out. */
  #admit(socket: Socket): void {
    const caller = callerOf(socket);
    if (this.#connections.size >= this.#options.connections) {
      const given = this.#leastMissed();
      const [who, connection] = given ?? [caller, { socket }];
      this.#connections.delete(who);
      connection.socket.destroy();
      if (!given) return;
    }
    const connection: Connection = { socket, used: false, open: 0, asksSince: undefined };
    this.#connections.set(caller, connection);
    socket.once('close', () => {
      if (this.#connections.get(caller) === connection) this.#connections.delete(caller);
    });
  }

  /**
   * Whose question has been coming in too long; else who asks nothing, where API servers keep connections for later; else whose
   * question came in longest. Undefined where all wait for their answers.
   */
  #leastMissed(): [string, Connection] | undefined {
    let slowest: [string, Connection] | undefined;
    for (const one of this.#connections) if (startOf(one) < startOf(slowest)) slowest = one;
    if (performance.now() - startOf(slowest) > SLOW_BODY) return slowest;
    return this.#connections.entries().find(([, { open }]) => open === 0) ?? slowest;
  }

  #asked(request: IncomingMessage, response: ServerResponse): void {
    const caller = callerOf(request.socket);
    const connection = this.#connections.get(caller);
    if (!connection) return;
    connection.used = true;
    connection.open += 1;
    connection.asksSince = performance.now();
    request.once('end', () => {
      connection.asksSince = undefined;
    });
    response.once('close', () => {
      connection.open -= 1;
      connection.asksSince = undefined;
      if (!this.#connections.delete(caller) || connection.socket.destroyed) return;
      this.#connections.set(caller, connection);
    });
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = performance.now();
    const { pathname, searchParams } = urlOf(request);
    const route = this.#options.routes.get(pathname);
    if (route) this.#options.onBegin(pathname);
    const reply = route
      ? await this.#answered(route, request, response, searchParams)
      : this.#probed(pathname, request.method);
    if (route) this.#options.onEnd(pathname, reply.status, (performance.now() - begun) / 1000);
    if (response.destroyed) return;
    const { status, body } = reply;
    const [contentType, text] =
      typeof body === 'string'
        ? ['text/plain; charset=utf-8', `${body}\n`]
        : ['application/json', JSON.stringify(body)];
    response.writeHead(status, { 'content-type': contentType, ...(this.#leaving && { connection: 'close' }) });
    response.end(text);
  }

  async #answered(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
  ): Promise<Reply> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the caller is gone')));
    try {
      const answer = (body: string) => route.answer(body, query, gone.signal);
      return { status: 200, body: await this.#bodies.with(request, route.limit, answer) };
    } catch (error) {
      if (error instanceof Refusal) return refused(error.status, error.message);
      if (!gone.signal.aborted) this.#options.logger.error({ error, path: request.url }, 'a webhook call failed');
      return refused(500, "the webhook failed; the operator's log says why");
    }
  }

  #probed(path: string, method: string | undefined): Reply {
    if (method !== 'GET' && method !== 'HEAD') return refused(404, `there is no webhook at ${path}`);
    if (path === '/healthz') return { status: 200, body: 'ok' };
    if (path !== '/readyz') return { status: 404, body: 'there is only /healthz and /readyz' };
    const reason = this.#leaving ? 'it is stopping' : this.#options.unready();
    return reason ? { status: 503, body: reason } : { status: 200, body: 'ok' };
  }
}

/** As a Status, whose message the API server passes on to the user; of any other body it tells nothing. */
function refused(status: number, message: string): Reply {
  return { status, body: { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: status, message } };
}

/** When its question began to come in; never where none does. */
function startOf(one: [string, Connection] | undefined): number {
  return one?.[1].asksSince ?? Number.POSITIVE_INFINITY;
}

function callerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function urlOf({ url = '' }: IncomingMessage): URL {
  const base = 'https://webhooks';
  return URL.canParse(url, base) ? new URL(url, base) : new URL(base);
}
