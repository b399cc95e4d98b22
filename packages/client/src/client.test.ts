// What the wire may do to us: a loopback HTTP server plays the misbehaving one. What Kubernetes does is in ../test.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from './client.ts';
import { ConfigMap, Pod } from './generated/core/v1.ts';
import type { ClientOptions } from './options.ts';
import { resourceType } from './resource-type.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const open: { server: Server; client: Client }[] = [];

async function serve(handler: Handler, path = '', options: ClientOptions = { retries: 0 }): Promise<Client> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createClient({ server: `http://127.0.0.1:${port}${path}`, token: 's3cret-token' }, options);
  open.push({ server, client });
  return client;
}

afterEach(async () => {
  for (const { server, client } of open.splice(0)) {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
});

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const errorOf = async (promise: Promise<unknown>) =>
  await promise.then(
    () => expect.unreachable(),
    (error) => error,
  );
const pod = { name: 'web', namespace: 'default' };

async function watchAll(client: Client, options = {}) {
  const events = [];
  for await (const event of client.watch(ConfigMap, options)) events.push(event);
  return events;
}

describe('a request', () => {
  it('goes below the path of the server URL, with the token', async () => {
    let seen: IncomingMessage | undefined;
    const client = await serve((request, response) => {
      seen = request;
      json(response, 200, {});
    }, '/clusters/one/');
    await client.get(Pod, pod);
    expect(seen?.url).toBe('/clusters/one/api/v1/namespaces/default/pods/web');
    expect(seen?.headers.authorization).toBe('Bearer s3cret-token');
  });

  it('reuses connections', async () => {
    const sockets = new Set<unknown>();
    const client = await serve((request, response) => {
      sockets.add(request.socket);
      json(response, 200, {});
    });
    for (let i = 0; i < 20; i += 1) await client.get(Pod, pod);
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it('fails at its deadline when the server says nothing', async () => {
    const client = await serve(() => {});
    expect(await errorOf(client.get(Pod, pod, { timeout: 50 }))).toMatchObject({
      code: 'KUR_CLIENT_TIMEOUT',
      message: expect.stringMatching(/^get Pod default\/web: http:.* did not finish within 0.05 s$/),
    });
  });

  it('fails at its deadline when the answer stops half way', async () => {
    const client = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"kind":');
    });
    expect(await errorOf(client.get(Pod, pod, { timeout: 50 }))).toMatchObject({ code: 'KUR_CLIENT_TIMEOUT' });
  });

  it('fails with the reason of the signal that the caller fired', async () => {
    const client = await serve(() => controller.abort(new Error('changed my mind')));
    const controller = new AbortController();
    expect(await errorOf(client.get(Pod, pod, { signal: controller.signal }))).toEqual(new Error('changed my mind'));
    expect(await errorOf(client.get(Pod, pod, { signal: controller.signal }))).toEqual(new Error('changed my mind'));
  });

  it('fails clearly when the connection breaks', async () => {
    const client = await serve((request) => request.socket.destroy());
    expect(await errorOf(client.get(Pod, pod))).toMatchObject({ code: 'KUR_CLIENT_UNREACHABLE' });
  });

  it('fails clearly when nothing listens', async () => {
    const client = createClient({ server: 'http://127.0.0.1:1' });
    expect(await errorOf(client.get(Pod, pod, { retries: 0 }))).toMatchObject({
      code: 'KUR_CLIENT_UNREACHABLE',
      message: expect.stringContaining('nothing listens there'),
    });
    await client.close();
  });

  it('fails clearly after close', async () => {
    const client = await serve((_, response) => json(response, 200, {}));
    await client.close();
    expect(await errorOf(client.get(Pod, pod))).toMatchObject({ message: 'get Pod default/web: the client is closed' });
  });
});

describe('a request that fails', () => {
  const failing =
    (times: number, status: number, seen: string[]) => (request: IncomingMessage, response: ServerResponse) => {
      seen.push(request.method ?? '');
      if (seen.length > times) return json(response, 200, {});
      return json(response, status, { kind: 'Status', code: status }, { 'retry-after': '0' });
    };

  it('is sent again until it succeeds', async () => {
    const seen: string[] = [];
    const client = await serve(failing(2, 503, seen), '', {});
    await client.get(Pod, pod);
    expect(seen).toEqual(['GET', 'GET', 'GET']);
  });

  it('is not sent again when it might then happen twice', async () => {
    const seen: string[] = [];
    const client = await serve(failing(1, 503, seen), '', {});
    const error = await errorOf(client.create(Pod, { metadata: pod }));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_SERVER', message: 'create Pod default/web: HTTP status 503' });
    expect(seen).toEqual(['POST']);
  });

  it('is sent again when the server had no time for it, whatever it is', async () => {
    const seen: string[] = [];
    const client = await serve(failing(1, 429, seen), '', {});
    await client.create(Pod, { metadata: pod });
    expect(seen).toEqual(['POST', 'POST']);
  });

  it('is sent once where the caller wants that, and where it is a bare path', async () => {
    const seen: string[] = [];
    const client = await serve(failing(9, 503, seen), '', {});
    await errorOf(client.get(Pod, pod, { retries: 0 }));
    await errorOf(client.raw('GET', '/readyz'));
    expect(seen).toHaveLength(2);
  });

  it('is sent again on a new connection when the old one broke', async () => {
    let asked = 0;
    const client = await serve(
      (request, response) => {
        asked += 1;
        if (asked === 1) request.socket.destroy();
        else json(response, 200, {});
      },
      '',
      {},
    );
    await client.get(Pod, pod);
    expect(asked).toBe(2);
  });

  it('keeps its deadline over all attempts', async () => {
    const client = await serve(failing(99, 503, []), '', { retries: 99, timeout: 300 });
    const start = performance.now();
    expect(await errorOf(client.get(Pod, pod))).toMatchObject({ message: expect.stringMatching(/tried [2-4] times/) });
    expect(performance.now() - start).toBeLessThan(600);
  });
});

describe('a refusal', () => {
  const status = (code: number, reason: string, details = {}) => ({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: `it is ${reason}`,
    reason,
    code,
    details: { name: 'web', ...details },
  });

  it.each([
    [401, 'Unauthorized', 'KUR_CLIENT_UNAUTHORIZED'],
    [403, 'Forbidden', 'KUR_CLIENT_FORBIDDEN'],
    [404, 'NotFound', 'KUR_CLIENT_NOT_FOUND'],
    [409, 'AlreadyExists', 'KUR_CLIENT_ALREADY_EXISTS'],
    [409, 'Conflict', 'KUR_CLIENT_CONFLICT'],
    [410, 'Expired', 'KUR_CLIENT_EXPIRED'],
    [422, 'Invalid', 'KUR_CLIENT_INVALID'],
    [429, 'TooManyRequests', 'KUR_CLIENT_TOO_MANY_REQUESTS'],
    [500, 'InternalError', 'KUR_CLIENT_SERVER'],
    [504, 'Timeout', 'KUR_CLIENT_SERVER'],
    [400, 'BadRequest', 'KUR_CLIENT_REFUSED'],
  ])('%i %s is %s', async (code, reason, expected) => {
    const client = await serve((_, response) => json(response, code, status(code, reason)));
    expect(await errorOf(client.get(Pod, pod))).toMatchObject({
      code: expected,
      status: code,
      reason,
      message: `get Pod default/web: it is ${reason}`,
    });
  });

  it('names the fields and when to come back', async () => {
    const causes = [{ field: 'spec.x', reason: 'FieldValueRequired', message: 'Required value' }];
    const client = await serve((_, response) =>
      json(response, 422, status(422, 'Invalid', { causes }), { 'retry-after': '7' }),
    );
    expect(await errorOf(client.get(Pod, pod))).toMatchObject({ causes, retryAfterSeconds: 7 });
  });

  it('names when to come back also where it was said as a date', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString();
    const client = await serve((_, response) => response.writeHead(503, { 'retry-after': date }).end());
    const { retryAfterSeconds } = await errorOf(client.get(Pod, pod));
    expect(retryAfterSeconds).toBeGreaterThan(25);
    expect(retryAfterSeconds).toBeLessThanOrEqual(30);
  });

  it('by a kind that is not installed says so', async () => {
    const client = await serve((_, response) => response.writeHead(404).end('404 page not found\n'));
    expect(await errorOf(client.find(resourceType('example.com/v1', 'Widget'), pod))).toMatchObject({
      code: 'KUR_CLIENT_UNKNOWN_KIND',
      message: expect.stringContaining('the server has no widgets in example.com/v1'),
    });
  });

  it('of a proxy quotes no page', async () => {
    const client = await serve((_, response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html><body>Bad gateway</body></html>'),
    );
    expect(await errorOf(client.get(Pod, pod))).toMatchObject({
      code: 'KUR_CLIENT_SERVER',
      message: 'get Pod default/web: HTTP status 502',
    });
  });

  it('never holds the token', async () => {
    const client = await serve((request) => request.socket.destroy());
    const { inspect } = await import('node:util');
    expect(inspect(await errorOf(client.get(Pod, pod)), { depth: 20, showHidden: true })).not.toContain('s3cret-token');
  });
});

describe('an answer that is not what it says', () => {
  it('is an error without its content', async () => {
    const client = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"password": "hunter2'),
    );
    const error = await errorOf(client.get(Pod, pod));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_BAD_RESPONSE' });
    expect(String(error)).not.toContain('hunter2');
  });
});

describe('a watch', () => {
  const event = (type: string, name: string) => `${JSON.stringify({ type, object: { metadata: { name } } })}\n`;

  it('yields events however they are cut', async () => {
    const client = await serve((_, response) => {
      response.write(event('ADDED', 'a') + event('MODIFIED', 'a').slice(0, 9));
      setImmediate(() => response.end(event('MODIFIED', 'a').slice(9) + event('DELETED', 'a')));
    });
    expect((await watchAll(client)).map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('throws the error that the server reports inside the stream', async () => {
    const object = { kind: 'Status', message: 'too old resource version', reason: 'Expired', code: 410 };
    const client = await serve((_, response) => response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`));
    expect(await errorOf(watchAll(client))).toMatchObject({ code: 'KUR_CLIENT_EXPIRED', status: 410 });
  });

  it('notices that its connection went quiet', async () => {
    const client = await serve((_, response) => response.write(event('ADDED', 'a')));
    expect(await errorOf(watchAll(client, { idleTimeout: 100 }))).toMatchObject({
      code: 'KUR_CLIENT_TIMEOUT',
      message: expect.stringContaining('went quiet'),
    });
  });

  it('fails when it is cut inside an event, without quoting it', async () => {
    const client = await serve((_, response) => response.end(event('ADDED', 'hunter2').slice(0, -5)));
    const error = await errorOf(watchAll(client));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_BAD_RESPONSE' });
    expect(String(error)).not.toContain('hunter2');
  });

  it('closes its connection when the loop is left', async () => {
    let closed: Promise<unknown> | undefined;
    const client = await serve((request, response) => {
      closed = once(request.socket, 'close');
      response.write(event('ADDED', 'a'));
    });
    for await (const _ of client.watch(ConfigMap)) break;
    await closed;
  });

  it('ends with the reason of the signal', async () => {
    const controller = new AbortController();
    const client = await serve((_, response) => response.write(event('ADDED', 'a')));
    const reading = async () => {
      for await (const _ of client.watch(ConfigMap, { signal: controller.signal }))
        controller.abort(new Error('enough'));
    };
    expect(await errorOf(reading())).toEqual(new Error('enough'));
  });

  it('hands over lines in batches, unparsed, however they are cut', async () => {
    const client = await serve((_, response) => {
      response.write(event('ADDED', 'a') + event('ADDED', 'b') + event('MODIFIED', 'a').slice(0, 9));
      setTimeout(() => response.end(event('MODIFIED', 'a').slice(9)), 20);
    });
    const batches = [];
    for await (const lines of client.watchLines(ConfigMap)) batches.push(lines.map((line) => `${Buffer.from(line)}\n`));
    expect(batches).toEqual([[event('ADDED', 'a'), event('ADDED', 'b')], [event('MODIFIED', 'a')]]);
  });

  it('hands over the lines before a failure, then throws it', async () => {
    const object = { kind: 'Status', message: 'too old resource version', reason: 'Expired', code: 410 };
    const client = await serve((_, response) =>
      response.end(`${event('ADDED', 'a')}${JSON.stringify({ type: 'ERROR', object })}\n`),
    );
    const lines: Uint8Array[] = [];
    const reading = async () => {
      for await (const batch of client.watchLines(ConfigMap)) lines.push(...batch);
    };
    expect(await errorOf(reading())).toMatchObject({ code: 'KUR_CLIENT_EXPIRED', status: 410 });
    expect(lines).toHaveLength(1);
  });

  it('hands over no half line', async () => {
    const client = await serve((_, response) => response.end(event('ADDED', 'hunter2').slice(0, -1)));
    const reading = async () => {
      for await (const _ of client.watchLines(ConfigMap)) expect.unreachable();
    };
    const error = await errorOf(reading());
    expect(error).toMatchObject({ code: 'KUR_CLIENT_BAD_RESPONSE' });
    expect(String(error)).not.toContain('hunter2');
  });

  it('leaves the requests their connections', async () => {
    const client = await serve((request, response) =>
      request.url?.includes('watch=true') ? response.write(event('ADDED', 'a')) : json(response, 200, {}),
    );
    const watches = Array.from({ length: 40 }, () => client.watch(ConfigMap)[Symbol.asyncIterator]());
    await Promise.all(watches.map(async (watch) => await watch.next()));
    await client.get(Pod, pod, { timeout: 2_000 });
    await Promise.all(watches.map(async (watch) => await watch.return?.()));
  });
});

it('gives every item of a list its kind', async () => {
  const client = await serve((_, response) =>
    json(response, 200, {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: {},
      items: [{ metadata: { name: 'a' } }],
    }),
  );
  const { items } = await client.list(ConfigMap);
  expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
});
