// What TLS may refuse, on loopback, with certificates made for the purpose.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { createSelfSigned } from '@kurator/pki';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from '../client.ts';
import type { ClientConfig } from '../config.ts';
import { ConfigMap } from '../generated/core/v1.ts';
import { startDeadline } from './deadline.ts';
import { createTransport } from './transport.ts';

const DAY = 24 * 3600 * 1000;
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A certificate that signs itself, valid between these days from now. */
function certificate(from: number, to: number, name = '127.0.0.1'): { cert: string; key: string } {
  const time = { now: Date.now() + from * DAY, lifetime: (to - from) * DAY };
  const pair = createSelfSigned({ commonName: 'test', names: [name], usages: ['server', 'client'], ...time });
  return { cert: pair.pem, key: pair.exportKey() };
}

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function errorOf(config: ClientConfig) {
  await using client = createClient(config);
  return await client.raw('GET', '/version').then(
    () => expect.unreachable(),
    (error) => error,
  );
}

it("says since when the server's certificate is no longer valid, and what to do", async () => {
  const expired = certificate(-2, -1);
  const server = await listen(createServer(expired));
  expect(await errorOf({ server, ca: expired.cert })).toMatchObject({
    code: 'KUR_CLIENT_TLS',
    message: expect.stringMatching(
      /certificate has expired \(valid from .* to .* GMT; it is now .*\): renew the server's/,
    ),
  });
});

it('says that the client certificate has expired, and when, where the server only says no', async () => {
  const valid = certificate(-1, 1);
  const expired = certificate(-2, -1);
  const handshake = { ...valid, requestCert: true, rejectUnauthorized: false };
  const server = await listen(createServer(handshake, (_, response) => response.writeHead(401).end()));
  const yesterday = new Date(Date.now() - DAY).toUTCString().slice(0, 16);
  expect(await errorOf({ server, ca: valid.cert, ...expired })).toMatchObject({
    code: 'KUR_CLIENT_UNAUTHORIZED',
    status: 401,
    message: expect.stringContaining(`GET /version: the client certificate expired on ${yesterday}`),
  });
});

it('asks whether it is the right server when nobody vouches for it', async () => {
  const { cert: ca } = certificate(-1, 1);
  const server = await listen(createServer(certificate(-1, 1)));
  expect(await errorOf({ server, ca })).toMatchObject({
    code: 'KUR_CLIENT_TLS',
    message: expect.stringContaining('is it the right server, and certificate-authority-data that of this cluster?'),
  });
});

describe('through a proxy', () => {
  /** By CONNECT, as at many a company. */
  async function proxy(): Promise<string> {
    const server = createHttpServer().on('connect', ({ url = '' }, client) => {
      const [host, port] = url.split(':');
      const onward = connect(Number(port), host);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(onward).pipe(client);
      client.on('error', () => onward.destroy());
      onward.on('error', () => client.destroy());
    });
    return (await listen(server)).replace('https://127.0.0.1', 'http://localhost');
  }

  it.each([
    ['its address', '127.0.0.1', undefined],
    ['the name that it is said to have', 'kubernetes', 'kubernetes'],
    ['another address that it is said to have', '10.0.0.1', '10.0.0.1'],
  ])('a server is believed by %s', async (_, name, tlsServerName) => {
    const { cert, key } = certificate(-1, 1, name);
    const server = await listen(createServer({ cert, key }, (_, response) => response.end('hello')));
    const named = tlsServerName === undefined ? {} : { tlsServerName };
    await using client = createClient({ server, ca: cert, proxyUrl: await proxy(), ...named });
    expect(await client.raw('GET', '/version')).toBe('hello');
  });

  it('that the environment names, unless the configuration says otherwise', async () => {
    const { cert, key } = certificate(-1, 1, 'kube.test');
    const server = await listen(createServer({ cert, key }, (_, response) => response.end('hello')));
    // A name that only the proxy knows.
    const named = server.replace('127.0.0.1', 'kube.test');
    const onward = createHttpServer().on('connect', (_, client) => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(connect(Number(new URL(server).port), '127.0.0.1')).pipe(client);
    });
    vi.stubEnv('HTTPS_PROXY', (await listen(onward)).replace('https://', 'http://'));
    onTestFinished(() => void vi.unstubAllEnvs());
    await using client = createClient({ server: named, ca: cert });
    expect(await client.raw('GET', '/version')).toBe('hello');
    expect(await errorOf({ server: named, ca: cert, proxyUrl: '' })).toMatchObject({ code: 'KUR_CLIENT_UNREACHABLE' });
    vi.stubEnv('NO_PROXY', 'kube.test');
    expect(await errorOf({ server: named, ca: cert })).toMatchObject({ code: 'KUR_CLIENT_UNREACHABLE' });
  });

  it("a server is not believed by the proxy's name", async () => {
    const { cert, key } = certificate(-1, 1, 'localhost');
    const server = await listen(createServer({ cert, key }, (_, response) => response.end('hello')));
    expect(await errorOf({ server, ca: cert, proxyUrl: await proxy() })).toMatchObject({ code: 'KUR_CLIENT_TLS' });
  });
});

it('asks whether a port speaks TLS when it does not', async () => {
  const server = await listen(createHttpServer());
  expect(await errorOf({ server })).toMatchObject({
    code: 'KUR_CLIENT_TLS',
    message: expect.stringContaining('does that port speak TLS?'),
  });
});

it('notices over TLS, too, that a watch went quiet, and when a request takes too long', async () => {
  const valid = certificate(-1, 1);
  const server = createServer(valid, (request, response) => {
    if (request.url?.includes('watch=true')) response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n');
  });
  await using client = createClient({ server: await listen(server), ca: valid.cert });
  const seen: string[] = [];
  const watching = async () => {
    for await (const { type } of client.watch(ConfigMap, { idleTimeout: 200 })) seen.push(type);
  };
  await expect(watching()).rejects.toMatchObject({ code: 'KUR_CLIENT_TIMEOUT' });
  expect(seen).toEqual(['ADDED']);
  await expect(client.raw('GET', '/version', { timeout: 100 })).rejects.toMatchObject({ code: 'KUR_CLIENT_TIMEOUT' });
});

it('closes a connection that comes too late for its WebSocket', async () => {
  const valid = certificate(-1, 1);
  const { port } = new URL(await listen(createServer(valid)));
  const [released, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const gate = createTcpServer(async (socket) => {
    socket.on('error', () => {}).on('close', () => closed.resolve());
    await released.promise;
    const onward = connect(Number(port), '127.0.0.1').on('error', () => {});
    socket.pipe(onward).pipe(socket);
  });
  const transport = createTransport({ server: await listen(gate), ca: valid.cert });
  const deadline = startDeadline(100, undefined);
  const opening = transport.webSocket({ method: 'GET', path: '/', doing: 'exec' }, [], deadline);
  await expect(opening).rejects.toMatchObject({ code: 'KUR_CLIENT_TIMEOUT' });
  released.resolve();
  await closed.promise;
  await transport.close();
});

it('accepts any certificate where that was asked for', async () => {
  const expired = certificate(-2, -1);
  const server = await listen(createServer(expired, (_, response) => response.end('hello')));
  await using client = createClient({ server, insecureSkipTlsVerify: true });
  expect(await client.raw('GET', '/version')).toBe('hello');
});
