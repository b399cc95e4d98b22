import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * A TCP port that nobody listens on now, for a server that can't choose one by itself. A moment later somebody may: who can,
 * listens on port 0 instead.
 *
 * @param host The address that it has to be free on; `127.0.0.1` unless given.
 * @param wanted Fails with `EADDRINUSE` if this one is taken; any port unless given.
 */
export async function freePort(host = '127.0.0.1', wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
