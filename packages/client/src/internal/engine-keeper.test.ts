// What is held of engines whose TLS material has been replaced, as it is with each new client certificate.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it, vi } from 'vitest';
import type { TlsMaterial } from './credentials/identity.ts';
import { startDeadline } from './deadline.ts';
import { keepEngines } from './engine-keeper.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A server that answers when it is told to. */
async function serving() {
  const waiting: ServerResponse[] = [];
  server = createServer((_, response) => waiting.push(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const config = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  return { waiting, engines: keepEngines(config, new URL(config.server)) };
}

const get = { method: 'GET', path: '/', headers: {} } as const;

it('lets go of an engine when its last request is answered, and not before', async () => {
  const { waiting, engines } = await serving();
  const deadline = startDeadline(20_000, undefined);
  const held: WeakRef<TlsMaterial>[] = [];
  const ask = () => {
    const tls: TlsMaterial = { ca: 'of the moment' };
    held.push(new WeakRef(tls));
    return engines.engine(tls).exchange(get, deadline);
  };
  const asked = [ask(), ask(), ask()];
  await vi.waitFor(() => expect(waiting).toHaveLength(3), 20_000);
  for (const response of waiting) response.end('late');
  expect((await Promise.all(asked)).map(({ text }) => text)).toEqual(['late', 'late', 'late']);
  deadline.end();
  asked.length = 0;
  await vi.waitFor(async () => {
    await nextTurn();
    collect();
    // The last one is of the moment.
    expect(held.map((tls) => tls.deref() !== undefined)).toEqual([false, false, true]);
  }, 20_000);
  engines.destroy();
});
