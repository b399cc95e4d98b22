/** A real HTTP endpoint that takes alerts, and behaves as badly as a test wants. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What came. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** When it came, in milliseconds of this process. */
  readonly at: number;
}

/** How one request is answered: with a status and headers, or in whatever way. */
export type Answer =
  | number
  | { status: number; headers?: Record<string, string> }
  | ((response: ServerResponse) => void);

/** An endpoint that notes everything. */
export class HttpSink implements AsyncDisposable {
  readonly #server = createServer(async (request, response) => {
    const at = performance.now();
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url: path = '', headers: sent } = request;
    const received = { method, path, headers: sent, body, at };
    this.received.push(received);
    const answer = this.next.shift() ?? this.otherwise;
    if (answer === 200) this.taken.push(received);
    if (typeof answer === 'function') return answer(response);
    const { status, headers = {} } = typeof answer === 'number' ? { status: answer } : answer;
    response.writeHead(status, headers).end('the answer repeats: top-secret');
  });
  /** Everything that came. */
  readonly received: Received[] = [];
  /** What was answered with 200. */
  readonly taken: Received[] = [];
  /** The next answers, one a request. */
  next: Answer[] = [];
  /** The answer when there is no next one. */
  otherwise: Answer = 200;

  /** @param host An address of this machine; loopback unless given. */
  static async open(host = '127.0.0.1'): Promise<HttpSink> {
    const sink = new HttpSink();
    await new Promise<void>((resolve) => sink.#server.listen(0, host, resolve));
    return sink;
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}`;
  }

  /** The ids of what was taken, in order. */
  get ids(): string[] {
    return this.taken.map(({ headers }) => decodeURIComponent(String(headers['x-kurator-id'])));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
