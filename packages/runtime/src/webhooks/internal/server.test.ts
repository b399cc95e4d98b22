import { once } from 'node:events';
import { Agent, type RequestOptions, request } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createAuthority, issueLeaf, type KeyPair } from '@kurator/pki';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '../../insight/late-logger.ts';
import { Refusal } from './refusal.ts';
import { HookServer, type Route } from './server.ts';

const HOUR = 3_600_000;
const newAuthority = () => createAuthority({ name: 'test', now: Date.now(), lifetime: HOUR });
const servingBy = (signer: KeyPair) =>
  issueLeaf(signer, { commonName: 'test', names: ['127.0.0.1'], usages: ['server'], now: Date.now(), lifetime: HOUR });
const authority = newAuthority();
const serving = servingBy(authority);

interface Running {
  readonly server: HookServer;
  readonly port: number;
  readonly begun: string[];
  readonly ended: [path: string, status: number][];
}

async function running(answer: Route['answer'] = async () => ({ ok: true }), connections = 100): Promise<Running> {
  const begun: string[] = [];
  const ended: [string, number][] = [];
  const server = new HookServer({
    host: '127.0.0.1',
    port: 0,
    connections,
    bytes: 250,
    logger: silentLogger,
    routes: new Map([['/hook', { limit: 100, answer }]]),
    unready: () => (ended.length > 0 ? undefined : 'nobody has asked yet'),
    onBegin: (path) => void begun.push(path),
    onEnd: (path, status) => void ended.push([path, status]),
  });
  server.use(serving);
  const port = await server.listen();
  onTestFinished(async () => {
    const closed = server.close();
    server.abort();
    await closed;
  });
  return { server, port, begun, ended };
}

interface Sent extends RequestOptions {
  readonly body?: string | undefined;
  readonly trusting?: KeyPair;
}

function send({ port }: Running, path: string, { body, trusting = authority, ...options }: Sent = {}) {
  return new Promise<{ status: number | undefined; body: string; connection: string | undefined }>(
    (resolve, reject) => {
      const headers = { 'content-type': 'application/json', ...options.headers };
      const method = body === undefined ? 'GET' : 'POST';
      const all = { host: '127.0.0.1', port, path, ca: trusting.pem, method, ...options, headers };
      const sent = request(all, async (response) => {
        const chunks: Buffer[] = await response.toArray();
        const { statusCode: status, headers } = response;
        resolve({ status, body: Buffer.concat(chunks).toString('utf8'), connection: headers.connection });
      });
      sent.once('error', reject);
      sent.end(body);
    },
  );
}

describe('a webhook server', () => {
  it('answers what is posted', async () => {
    const server = await running(async (body, query) => ({ got: JSON.parse(body), timeout: query.get('timeout') }));
    const { status, body } = await send(server, '/hook?timeout=3s', { body: '{"a":1}' });
    expect([status, JSON.parse(body)]).toEqual([200, { got: { a: 1 }, timeout: '3s' }]);
    expect(server.ended).toEqual([['/hook', 200]]);
  });

  it.each([
    { what: 'another content type', sent: { body: '{}', headers: { 'content-type': 'text/plain' } }, status: 415 },
    { what: 'no content type', sent: { body: '{}', headers: { 'content-type': '' } }, status: 415 },
    { what: 'another method', sent: { method: 'PUT', body: '{}' }, status: 405 },
    { what: 'a large body', sent: { body: 'x'.repeat(101) }, status: 413 },
    {
      what: 'a large body of unknown length',
      sent: { body: 'x'.repeat(100_000), headers: { 'transfer-encoding': 'chunked' } },
      status: 413,
    },
    { what: 'an unknown path', path: '/hooks', sent: { body: '{}' }, status: 404 },
    { what: 'a path that is none', path: '//', sent: { body: '{}' }, status: 404 },
  ])('refuses $what, and goes on', async ({ path = '/hook', sent, status }) => {
    const server = await running();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const refused = await send(server, path, { ...sent, agent });
    expect(refused.status).toBe(status);
    expect(JSON.parse(refused.body)).toMatchObject({ kind: 'Status', code: status, message: expect.any(String) });
    expect((await send(server, '/hook', { body: '{}', agent })).status).toBe(200);
  });

  it('tells a caller what it may know of a failure, and no more', async () => {
    const refusing = await running(() => Promise.reject(new Refusal(400, 'no uid')));
    expect((await send(refusing, '/hook', { body: '{}' })).body).toContain('no uid');
    const broken = await running(() => Promise.reject(new Error('s3cr3t')));
    const { status, body } = await send(broken, '/hook', { body: '{}' });
    expect(status).toBe(500);
    expect(body).not.toContain('s3cr3t');
  });

  it('lets the kubelet ask how it is', async () => {
    const server = await running();
    expect(await send(server, '/healthz')).toMatchObject({ status: 200 });
    expect(await send(server, '/readyz')).toMatchObject({ status: 503, body: 'nobody has asked yet\n' });
    await send(server, '/hook', { body: '{}' });
    expect(await send(server, '/readyz')).toMatchObject({ status: 200 });
    server.server.leave();
    expect(await send(server, '/readyz')).toMatchObject({ status: 503, body: 'it is stopping\n' });
    expect(await send(server, '/metrics')).toMatchObject({ status: 404 });
  });

  it('tells the handler when nobody waits any more', async () => {
    const gone = Promise.withResolvers<unknown>();
    const asked = Promise.withResolvers<void>();
    const server = await running(async (_, __, signal) => {
      signal.addEventListener('abort', () => gone.resolve(signal.reason));
      asked.resolve();
      await gone.promise;
      return {};
    });
    const abort = new AbortController();
    const sent = send(server, '/hook', { body: '{}', signal: abort.signal });
    await asked.promise;
    abort.abort();
    await expect(sent).rejects.toThrow();
    expect(await gone.promise).toBeInstanceOf(Error);
  });
});

describe('a server with more callers than it can serve', () => {
  const open = async ({ port }: Running, first = '') => {
    const socket = connectTls({ port, ca: authority.pem, host: '127.0.0.1' }).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    socket.write(first);
    return socket;
  };
  const head = (length: number) =>
    `POST /hook HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

  it.each([
    ['say nothing', ''],
    ['never finish what they begin to say', 'POST /hook HTTP/1.1\r\nhost: x\r\nx-slow: '],
  ])('gives up those who %s, the oldest first', async (_, first) => {
    const server = await running(undefined, 3);
    const [oldest, ...others] = [await open(server, first), await open(server, first), await open(server, first)];
    const closed = once(oldest as NonNullable<typeof oldest>, 'close');
    expect((await send(server, '/hook', { body: '{}' })).status).toBe(200);
    await closed;
    expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  });

  it('gives up whose question does not become whole, the oldest first', async () => {
    const server = await running(undefined, 2);
    const slow = [await open(server, `${head(50)}x`)];
    await vi.waitFor(() => expect(server.begun.length).toBe(1), 20_000);
    slow.push(await open(server, `${head(50)}x`));
    const closed = once(slow[0] as NonNullable<(typeof slow)[0]>, 'close');
    await vi.waitFor(() => expect(server.begun.length).toBe(2), 20_000);
    expect((await send(server, '/hook', { body: '{}' })).status).toBe(200);
    await closed;
    expect(slow[1]?.destroyed).toBe(false);
  });

  it('gives up who is slow before who keeps a connection for later', async () => {
    const server = await running(undefined, 2);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    expect((await send(server, '/hook', { body: '{}', agent })).status).toBe(200);
    const slow = await open(server, `${head(50)}x`);
    await vi.waitFor(() => expect(server.begun.length).toBe(2), 20_000);
    const later = performance.now() + 3_000;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(later);
    onTestFinished(() => clock.mockRestore());
    const closed = once(slow, 'close');
    expect((await send(server, '/hook', { body: '{}' })).status).toBe(200);
    await closed;
    const [kept] = Object.values(agent.freeSockets).flat();
    expect(kept?.destroyed).toBe(false);
    expect((await send(server, '/hook', { body: '{}', agent })).status).toBe(200);
  });

  it('lets nobody else in while it is busy with all of them', async () => {
    const finish = Promise.withResolvers<object>();
    let asked = 0;
    const server = await running(() => {
      asked += 1;
      return finish.promise as Promise<object>;
    }, 2);
    const busy = [send(server, '/hook', { body: '{}' }), send(server, '/hook', { body: '{}' })];
    await vi.waitFor(() => expect(asked).toBe(2), 20_000);
    await expect(send(server, '/hook', { body: '{}' })).rejects.toThrow();
    finish.resolve({});
    expect((await Promise.all(busy)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await send(server, '/hook', { body: '{}' })).status).toBe(200);
  });

  it('holds no more bytes than it may: the largest body that is not whole yet is refused', async () => {
    const finish = Promise.withResolvers<object>();
    const server = await running(() => finish.promise as Promise<object>);
    const greedy = [];
    for (const size of [80, 99]) greedy.push(await open(server, head(100) + 'x'.repeat(size)));
    const answered = once(greedy[1] as NonNullable<(typeof greedy)[1]>, 'data');
    // What was read whole still counts, until it is answered.
    const modest = send(server, '/hook', { body: 'x'.repeat(80) });
    expect(String((await answered)[0])).toMatch(/^HTTP\/1.1 503 /);
    finish.resolve({});
    expect((await modest).status).toBe(200);
    expect((await send(server, '/hook', { body: '{}' })).status).toBe(200);
  });
});

describe('a new certificate', () => {
  it('is what new connections see, while those that there are go on', async () => {
    const server = await running();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    await send(server, '/hook', { body: '{}', agent });
    const other = newAuthority();
    server.server.use(servingBy(other));
    expect((await send(server, '/hook', { body: '{}', agent })).status).toBe(200);
    expect((await send(server, '/hook', { body: '{}', trusting: other })).status).toBe(200);
    await expect(send(server, '/hook', { body: '{}' })).rejects.toThrow('unable to verify');
  });
});

describe('a server that leaves', () => {
  it('answers what is under way, and asks callers to go elsewhere', async () => {
    const finish = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const server = await running(async () => {
      asked.resolve();
      await finish.promise;
      return {};
    });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const sent = send(server, '/hook', { body: '{}', agent });
    await asked.promise;
    server.server.leave();
    const closed = server.server.close();
    finish.resolve();
    expect(await sent).toMatchObject({ status: 200, connection: 'close' });
    await closed;
    await expect(send(server, '/hook', { body: '{}' })).rejects.toThrow('ECONNREFUSED');
  });

  it('does not wait for those who are connected and say nothing', async () => {
    const { server, port } = await running();
    const [bare, tls] = [connect({ port }), connectTls({ port, ca: authority.pem, host: '127.0.0.1' })];
    await Promise.all([once(bare, 'connect'), once(tls, 'secureConnect')]);
    await server.close();
    bare.destroy();
    tls.destroy();
  });
});
