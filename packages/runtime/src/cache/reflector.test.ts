// What a server may ask of a watch: a loopback server plays one that has only just learned of a kind.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, ConfigMap, createClient } from '@kurator/client';
import { afterEach, expect, it } from 'vitest';
import { createCache } from './cache.ts';

const bookmark = JSON.stringify({
  type: 'BOOKMARK',
  object: {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } },
  },
});

let server: Server;
let client: Client;

/** A server that refuses so many watches with 429 before it serves one. */
async function refusing(times: number): Promise<{ refusals: () => number }> {
  let refused = 0;
  server = createServer((_, response) => {
    if (refused === times) {
      response.writeHead(200, { 'content-type': 'application/json' }).write(`${bookmark}\n`);
      return;
    }
    refused += 1;
    response.writeHead(429, { 'retry-after': '0' }).end('storage is (re)initializing');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = createClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return { refusals: () => refused };
}

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

it.each([
  [3, 0],
  [4, 1],
])(
  'takes it for no trouble when the server asks for a moment, unless it goes on asking (%i times)',
  async (times, troubles) => {
    const { refusals } = await refusing(times);
    const signal = new AbortController();
    const cache = createCache(client, ConfigMap);
    const running = cache.run(signal.signal);
    await cache.untilSynced(AbortSignal.timeout(20_000));
    expect(refusals()).toBe(times);
    expect(cache.state().troubles).toBe(troubles);
    signal.abort();
    await running;
  },
);
