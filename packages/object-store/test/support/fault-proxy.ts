/** Stands between a client and a server, passes everything on unchanged, and does what a bad network or a busy server does. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a request. */
export type Fault =
  /** The connection is cut before the server has heard of it. */
  | { readonly kind: 'cut' }
  /** The server does it, and its answer is lost. */
  | { readonly kind: 'lose-answer' }
  /** So many bytes of the answer's body come, and then nothing but the end of the connection. */
  | { readonly kind: 'cut-answer'; readonly after: number }
  /** Nothing is read of it until then; then it is passed on. */
  | { readonly kind: 'hold'; readonly until: Promise<void> }
  /** Nothing ever comes. */
  | { readonly kind: 'hang' }
  /** The server is not asked. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  /** A byte of the answer's body is changed. */
  | { readonly kind: 'corrupt' };

/** What came by. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** When, by `performance.now()`. */
  readonly at: number;
}

/** One that runs. */
export class FaultProxy implements AsyncDisposable {
  readonly url: string;
  readonly seen: Seen[] = [];
  /** Decides for each request; nothing means that it is passed on. */
  fault: (seen: Seen) => Fault | undefined = () => undefined;
  readonly #server: Server;
  readonly #target: URL;

  private constructor(server: Server, target: string) {
    const { port } = server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
    this.#server = server;
    this.#target = new URL(target);
    server.on('request', (incoming, answer) => this.#pass(incoming, answer));
  }

  static async start(target: string): Promise<FaultProxy> {
    const server = createServer({ keepAliveTimeout: 60_000 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(server, target);
  }

  /** The first `times` requests that `matches` names have this fault; the others pass. */
  inject(fault: Fault, matches: (seen: Seen) => boolean = () => true, times = 1): void {
    let left = times;
    this.seen.length = 0;
    this.fault = (seen) => {
      if (left === 0 || !matches(seen)) return undefined;
      left -= 1;
      return fault;
    };
  }

  /** Method and what is asked for, without the signature's headers. */
  get requests(): string[] {
    return this.seen.map(({ method, url }) => `${method} ${url}`);
  }

  #pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method = '', url = '', headers } = incoming;
    const seen = { method, url, headers, at: performance.now() };
    this.seen.push(seen);
    const fault = this.fault(seen);
    if (fault?.kind === 'cut') return void incoming.socket.destroy();
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'answer') {
      incoming.resume().on('end', () => answer.writeHead(fault.status, fault.headers).end(fault.body));
      return;
    }
    if (fault?.kind === 'hold') {
      void fault.until.then(() => this.#forward(incoming, answer, undefined));
      return;
    }
    this.#forward(incoming, answer, fault);
  }

  #forward(incoming: IncomingMessage, answer: ServerResponse, fault: Fault | undefined): void {
    const { method = '', url = '', headers } = incoming;
    const { hostname, port } = this.#target;
    const outgoing = request({ hostname, port, method, path: url, headers }, (response) => {
      if (fault?.kind === 'lose-answer') {
        response.resume().on('end', () => incoming.socket.destroy());
        return;
      }
      answer.writeHead(response.statusCode ?? 502, response.headers);
      if (fault?.kind === 'cut-answer') cutAfter(response, answer, fault.after);
      else if (fault?.kind === 'corrupt') corrupt(response, answer);
      else response.pipe(answer);
    });
    outgoing.on('error', () => incoming.socket.destroy());
    incoming.pipe(outgoing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function cutAfter(response: IncomingMessage, answer: ServerResponse, after: number): void {
  let left = after;
  response.on('data', (chunk: Buffer) => {
    if (left < 0) return;
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (left > 0) return void answer.write(part);
    left = -1;
    answer.write(part, () => answer.destroy());
  });
  // It may be shorter than that, or have no body at all.
  response.on('end', () => left > 0 && answer.destroy());
}

function corrupt(response: IncomingMessage, answer: ServerResponse): void {
  let isFirst = true;
  response.on('data', (chunk: Buffer) => {
    if (isFirst) chunk[0] = (chunk[0] ?? 0) ^ 1;
    isFirst = false;
    answer.write(chunk);
  });
  response.on('end', () => answer.end());
}
