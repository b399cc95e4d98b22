/**
 * A TCP proxy before a real API server that can do what networks do: cut connections, swallow bytes while the connection
 * stays open, stop in the middle of a line, and crawl. It speaks TLS to the server and plain HTTP to the client under
 * test, so that faults can be placed to the byte.
 */
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { ClientConfig } from '@kurator/client';

export interface FaultyProxy {
  /** The same server, through the proxy. */
  readonly config: ClientConfig;
  /** Connections since the beginning. */
  readonly connections: number;
  /** Breaks every connection there is. */
  cut(): void;
  /** Swallows everything the server sends, on connections that stay open; new ones are as before. */
  stall(): void;
  /** Of what the server sends from now on, passes this many bytes on, then breaks the connection. */
  truncateAfter(bytes: number): void;
  /** Milliseconds before each chunk from the server is passed on; 0 ends it. */
  slow(milliseconds: number): void;
  /** Ends each answer in chunks right after its head, in good order, as if there were nothing to say. */
  endStreams(ending: boolean): void;
  /** Refuses new connections, or takes them again. */
  refuse(refusing: boolean): void;
  close(): Promise<void>;
}

interface Link {
  client: Socket;
  stalled: boolean;
  remaining: number;
}

function passOn(link: Link, chunk: Buffer, onCut: () => void): void {
  link.client.write(chunk.subarray(0, link.remaining));
  link.remaining -= chunk.length;
  if (link.remaining <= 0) link.client.end(onCut);
}

function endedAfterHead(chunk: Buffer): Buffer {
  const end = chunk.indexOf('\r\n\r\n');
  return end < 0 ? chunk : Buffer.concat([chunk.subarray(0, end), Buffer.from('\r\n\r\n0\r\n\r\n')]);
}

export async function startFaultyProxy({ server, ca, cert, key }: ClientConfig): Promise<FaultyProxy> {
  const url = new URL(server);
  const links = new Set<Link>();
  let connections = 0;
  let refusing = false;
  let ending = false;
  let pause = 0;

  const proxy = createServer((client) => {
    if (refusing) return void client.destroy();
    connections += 1;
    const link: Link = { client, stalled: false, remaining: Number.POSITIVE_INFINITY };
    links.add(link);
    const socket = connectTcp({ host: url.hostname, port: Number(url.port) });
    const upstream = connect({
      socket,
      servername: 'localhost',
      ALPNProtocols: ['http/1.1'],
      ...(ca ? { ca } : {}),
      ...(cert ? { cert } : {}),
      ...(key ? { key } : {}),
    });
    const end = () => {
      links.delete(link);
      client.destroy();
      upstream.destroy();
    };
    for (const stream of [client, upstream]) stream.on('error', end).on('close', end);
    client.on('data', (chunk) => upstream.write(chunk));
    let queue = Promise.resolve();
    upstream.on('data', (chunk: Buffer) => {
      queue = queue.then(async () => {
        if (pause > 0) await delay(pause);
        if (link.stalled || client.destroyed) return;
        passOn(link, ending ? endedAfterHead(chunk) : chunk, end);
      });
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { port: number };

  return {
    config: { server: `http://127.0.0.1:${port}` },
    get connections() {
      return connections;
    },
    cut() {
      for (const { client } of links) client.destroy();
    },
    stall() {
      for (const link of links) link.stalled = true;
    },
    truncateAfter(bytes) {
      for (const link of links) link.remaining = bytes;
    },
    slow(milliseconds) {
      pause = milliseconds;
    },
    endStreams(value) {
      ending = value;
    },
    refuse(value) {
      refusing = value;
    },
    async close() {
      for (const { client } of links) client.destroy();
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    },
  };
}
