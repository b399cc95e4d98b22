/** A real HTTP server on loopback that serves files as a release site does, and can be told to misbehave. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a file is served; the second argument counts the requests for it, from 1. */
export type Serve = (response: ServerResponse, count: number, request: IncomingMessage) => void;

/** A running server; stops with `await using`. */
export interface ReleaseServer extends AsyncDisposable {
  readonly url: string;
  /** Every request so far, as `METHOD PATH`. */
  readonly requests: readonly string[];
  serve(path: string, how: Serve): void;
}

/** Starts a server that answers 404 to everything that it was not told to serve. */
export async function startReleaseServer(): Promise<ReleaseServer> {
  const files = new Map<string, Serve>();
  const counts = new Map<string, number>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(`${request.method} ${path}`);
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const serve = files.get(path) ?? status(404);
    serve(response, counts.get(path) ?? 1, request);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    serve: (path, how) => files.set(path, how),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** The file as it is, or the part of it that is asked for. */
export function whole(body: string | Buffer): Serve {
  return (response, _count, request) => {
    const bytes = Buffer.from(body);
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const part = bytes.subarray(start);
    const range = start > 0 ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {};
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': part.length, ...range });
    response.end(part);
  };
}

/** An answer without the file. */
export function status(code: number): Serve {
  return (response) => response.writeHead(code).end();
}

/** The right length, but one byte is another. */
export function corrupted(body: string | Buffer): Serve {
  const bytes = Buffer.from(body);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return whole(bytes);
}

/** Half of the file, and then the connection is closed. */
export function brokenOff(body: string | Buffer): Serve {
  return half(body, (response) => response.socket?.end());
}

/** Half of the file, and then the connection is reset, which may take from the reader what it has not read yet. */
export function reset(body: string | Buffer): Serve {
  return half(body, (response) => response.socket?.resetAndDestroy());
}

function half(body: string | Buffer, then: (response: ServerResponse) => void): Serve {
  return (response) => {
    const bytes = Buffer.from(body);
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => then(response));
  };
}

/** Half of the file, as if that were all. */
export function truncated(body: string | Buffer): Serve {
  const bytes = Buffer.from(body);
  return whole(bytes.subarray(0, bytes.length / 2));
}

/** Misbehaves so many times and then does it right. */
export function first(times: number, wrong: Serve, then: Serve): Serve {
  return (response, count, request) => (count <= times ? wrong : then)(response, count, request);
}

/** Serves a file together with the text that holds its sum, as Kubernetes and CoreDNS publish it. */
export function serveWithSum(server: ReleaseServer, path: string, body: string | Buffer, how = whole(body)): void {
  server.serve(path, how);
  server.serve(`${path}.sha256`, whole(sha256(body)));
}

/** The SHA-256 sum in hexadecimal. */
export function sha256(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}
