import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTunnel } from './tunnel.ts';

const servers: (Server | HttpServer)[] = [];
const sockets = new Set<Socket>();

async function listen(server: Server | HttpServer): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

let port: number;
beforeEach(async () => {
  port = await listen(createServer((socket) => socket.on('data', (data) => socket.end(`echo ${data}`))));
});

async function talk(proxyUrl: string): Promise<string> {
  const socket = await openTunnel(proxyUrl, { host: '127.0.0.1', port }, 2_000);
  sockets.add(socket);
  socket.end('hello');
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

describe('an HTTP proxy', () => {
  const proxy = (seen: (string | undefined)[], status = 200) =>
    createHttpServer().on('connect', (request, client: Socket) => {
      seen.push(request.url, request.headers['proxy-authorization']);
      client.write(`HTTP/1.1 ${status} Whatever\r\n\r\n`);
      if (status === 200) client.pipe(connect(port, '127.0.0.1')).pipe(client);
      else client.end();
    });

  it('lets us through', async () => {
    const seen: (string | undefined)[] = [];
    const proxyPort = await listen(proxy(seen));
    expect(await talk(`http://user:pass%20word@127.0.0.1:${proxyPort}`)).toBe('echo hello');
    expect(seen).toEqual([`127.0.0.1:${port}`, `Basic ${Buffer.from('user:pass word').toString('base64')}`]);
  });

  it('that refuses is named, without its password', async () => {
    const proxyPort = await listen(proxy([], 407));
    const error = await talk(`http://user:hunter2@127.0.0.1:${proxyPort}`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'KUR_CLIENT_UNREACHABLE', message: expect.stringContaining('answers 407') });
    expect(String(error)).not.toContain('hunter2');
  });

  it('that is not there is named', async () => {
    await expect(talk('http://127.0.0.1:1')).rejects.toThrow(
      /no way through the proxy http:\/\/127.0.0.1:1: .*ECONNREFUSED/,
    );
  });
});

describe('a SOCKS 5 proxy', () => {
  /** Speaks one byte at a time, as a network may. */
  async function socksProxy(password: boolean, reply = 0): Promise<number> {
    const server = createServer({ allowHalfOpen: true }, async (client) => {
      const trickle = (bytes: number[]) => {
        for (const byte of bytes) client.write(Buffer.from([byte]));
      };
      await once(client, 'data');
      trickle([5, password ? 2 : 0]);
      if (password) {
        const [login] = (await once(client, 'data')) as [Buffer];
        trickle([1, login.toString('latin1', 2) === 'user\x04pass' ? 0 : 1]);
      }
      const [request] = (await once(client, 'data')) as [Buffer];
      const target = {
        host: request.toString('utf8', 5, 5 + (request[4] ?? 0)),
        port: request.readUInt16BE(request.length - 2),
      };
      trickle([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]);
      const socket = connect(target.port, target.host);
      client.pipe(socket).pipe(client);
    });
    return await listen(server);
  }

  it('lets us through', async () => {
    expect(await talk(`socks5://127.0.0.1:${await socksProxy(false)}`)).toBe('echo hello');
  });

  it('lets us through with a password', async () => {
    expect(await talk(`socks5://user:pass@127.0.0.1:${await socksProxy(true)}`)).toBe('echo hello');
  });

  it.each([
    ['that wants a password', 'socks5://127.0.0.1', true, 0, /wants a user and a password/],
    ['that knows another password', 'socks5://user:nope@127.0.0.1', true, 0, /refuses the user or the password/],
    ['that has no way', 'socks5://127.0.0.1', false, 4, /no way to that host/],
  ])('%s is named', async (_, url, password, reply, message) => {
    await expect(talk(`${url}:${await socksProxy(password, reply)}`)).rejects.toThrow(message);
  });

  it('that says nothing is not waited for', async () => {
    const silent = await listen(createServer(() => {}));
    await expect(openTunnel(`socks5://127.0.0.1:${silent}`, { host: 'a', port: 1 }, 100)).rejects.toThrow(/in time/);
  });
});
