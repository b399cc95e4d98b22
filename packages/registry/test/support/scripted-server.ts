/** A real HTTP server that answers as a test says, and remembers what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One request. */
export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What is answered; a function to do it by hand. */
export type Scripted =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string | Uint8Array }
  | ((response: ServerResponse, asked: Asked, request: IncomingMessage) => void);

/** A server that runs until the test ends. */
export interface ScriptedServer {
  /** `127.0.0.1:PORT`, or `localhost:PORT` with TLS. */
  readonly host: string;
  readonly url: string;
  readonly asked: Asked[];
  /** `GET /v2/…` of all that was asked. */
  lines(): string[];
}

/** Who shows a certificate. */
export interface Tls {
  readonly key: string;
  readonly cert: string;
}

export async function scriptedServer(answer: (asked: Asked) => Scripted, tls?: Tls): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    response.on('error', () => {});
    request.on('error', () => {});
    const respond = () => {
      const { method = '', url: path = '', headers } = request;
      const each = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') };
      asked.push(each);
      const scripted = answer(each);
      if (typeof scripted === 'function') return scripted(response, each, request);
      const { status = 200, headers: given = {}, body = '' } = scripted;
      response.writeHead(status, given).end(method === 'HEAD' ? undefined : body);
    };
    request.on('data', (chunk) => chunks.push(chunk)).on('end', respond);
  };
  const server = tls ? createTlsServer({ ...tls }, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const host = `${tls ? 'localhost' : '127.0.0.1'}:${port}`;
  const lines = () => asked.map(({ method, path }) => `${method} ${path}`);
  return { host, url: `${tls ? 'https' : 'http'}://${host}`, asked, lines };
}

/** All in a stream. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
