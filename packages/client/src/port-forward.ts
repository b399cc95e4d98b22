/** A local port that leads to a port of a pod, through the API server. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Client } from './client.ts';
import type { PortForwardOptions } from './options.ts';
import type { ObjectReference } from './resource-type.ts';

/** Options of {@link listenForPod}. */
export interface ListenOptions extends PortForwardOptions {
  /** The port to listen on; any free one unless given. */
  localPort?: number;
  /** The address to listen on; `127.0.0.1` unless given. */
  host?: string;
  /** Told of each connection that failed; the others go on. */
  onError?: (error: unknown) => void;
}

/** A local port that leads to a port of a pod. */
export interface PortListener extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on a local port, and connects whoever comes to a port of a pod, as `kubectl port-forward` does. */
export async function listenForPod(
  client: Client,
  pod: ObjectReference,
  port: number,
  options: ListenOptions = {},
): Promise<PortListener> {
  const { localPort = 0, host = '127.0.0.1', onError = () => {}, ...request } = options;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    connectThrough(client, pod, port, socket, request).catch((error: unknown) => {
      socket.destroy();
      onError(error);
    });
  });
  server.listen(localPort, host);
  await once(server, 'listening');
  const close = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    request.signal?.removeEventListener('abort', close);
  };
  request.signal?.addEventListener('abort', close, { once: true });
  const address = server.address() as AddressInfo;
  return { host: address.address, port: address.port, close, [Symbol.asyncDispose]: close };
}

async function connectThrough(
  client: Client,
  pod: ObjectReference,
  port: number,
  socket: Socket,
  options: PortForwardOptions,
): Promise<void> {
  const connection = await client.portForward(pod, port, options);
  await Promise.all([pipeline(socket, connection, { end: false }), pipeline(connection, socket)]).catch((error) => {
    connection.destroy();
    throw error;
  });
  connection.destroy();
}
