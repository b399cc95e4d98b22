/** Servers on loopback that do exactly what a test says, byte by byte. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A server with its port; closes, with all its connections, at the end of the block. */
export interface RawServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** What clients sent, all of it, in the order of arrival. */
  readonly received: () => string;
  readonly connections: () => number;
}

/** Calls `serve` with each connection. */
export async function rawServer(serve: (socket: Socket) => void): Promise<RawServer> {
  return await started(createServer(), serve);
}

/** Answers each request, once its headers are there, with these bytes, and closes. */
export function answering(...answers: readonly string[]): Promise<RawServer> {
  let next = 0;
  return rawServer((socket) => {
    onRequest(socket, () => socket.end(answers[Math.min(next++, answers.length - 1)] ?? '', 'latin1'));
  });
}

/** Calls back once the headers of a request are there. */
export function onRequest(socket: Socket, callback: () => void): void {
  let text = '';
  const read = (chunk: Buffer) => {
    text += chunk.toString('latin1');
    if (!text.includes('\r\n\r\n')) return;
    socket.off('data', read);
    callback();
  };
  socket.on('data', read);
}

/** Any server of Node's own that hands out sockets. */
export async function started(
  server: Server,
  serve: (socket: Socket) => void,
  event: 'connection' | 'secureConnection' = 'connection',
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let received = '';
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.on(event, (socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    received: () => received,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
