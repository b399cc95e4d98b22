// Against servers on loopback that do what servers and the things before them do.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Deadline, startDeadline } from '../deadline.ts';
import { createHttp1Engine } from './engine.ts';

type Handler = (request: string, socket: Socket, connection: number) => void;

const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** Calls `answer` for each request; they are told apart by their blank line, so they have no body. */
async function serving(answer: Handler, longestAnswer?: number) {
  let connections = 0;
  const opened = Promise.withResolvers<void>();
  const requests: string[] = [];
  const server: Server = createServer((socket) => {
    const number = ++connections;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      for (const request of bytes.toString().split('\r\n\r\n').slice(0, -1)) {
        requests.push(request);
        answer(request, socket, number);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const engine = createHttp1Engine(
    `127.0.0.1:${port}`,
    async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      opened.resolve();
      return socket;
    },
    longestAnswer,
  );
  open.push({ close: () => engine.destroy() }, server);
  return { engine, requests, connections: () => connections, opened: () => opened.promise };
}

const get = (path = '/') => ({ method: 'GET', path, headers: { accept: 'application/json' } }) as const;
const ok = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
const within = (milliseconds = 5_000) => {
  const deadline = startDeadline(milliseconds, undefined);
  open.push({ close: () => deadline.end() });
  return deadline;
};

describe('an exchange', () => {
  it('uses one connection for requests that follow each other', async () => {
    const { engine, connections, requests } = await serving((_, socket) => socket.write(ok('hello')));
    for (let i = 0; i < 3; i++) expect(await engine.exchange(get(), within())).toMatchObject({ text: 'hello' });
    expect(connections()).toBe(1);
    expect(requests[0]).toMatch(/^GET \/ HTTP\/1.1\r\nhost: 127.0.0.1:\d+\r\naccept: application\/json$/);
  });

  it.each(['exchange', 'open'] as const)('is not begun when its caller has given up before (%s)', async (how) => {
    const { engine, requests } = await serving((_, socket) => socket.write(ok('hello')));
    const go = async (path: string, deadline: Deadline) => {
      const answer = await engine[how](get(path), deadline, 0);
      // So that its connection is there for the next one.
      if ('body' in answer) for await (const _ of answer.body);
    };
    await go('/', within());
    const over = startDeadline(5_000, AbortSignal.abort(new Error('too late')));
    await expect(go('/late', over)).rejects.toThrow('too late');
    over.end();
    await go('/after', within());
    expect(requests.map((request) => request.split(' ')[1])).toEqual(['/', '/after']);
  });

  it('uses several connections for requests at the same time, at most 32, and answers all of them', async () => {
    const { engine, connections } = await serving((request, socket) => {
      socket.write(ok(request.split(' ')[1] ?? ''));
    });
    const paths = Array.from({ length: 200 }, (_, i) => `/${i}`);
    const answers = await Promise.all(paths.map((path) => engine.exchange(get(path), within())));
    expect(answers.map(({ text }) => text)).toEqual(paths);
    expect(connections()).toBeLessThanOrEqual(32);
  });

  it('makes a new connection after one that the server wants closed', async () => {
    const { engine, connections } = await serving((_, socket) =>
      socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx'),
    );
    for (let i = 0; i < 2; i++) expect(await engine.exchange(get(), within())).toMatchObject({ text: 'x' });
    expect(connections()).toBe(2);
  });

  it('fails when the connection ends before the answer', async () => {
    const { engine } = await serving((_, socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'));
    await expect(engine.exchange(get(), within())).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  });

  it('fails when the answer is no HTTP, and does not use that connection again', async () => {
    const { engine, connections } = await serving((_, socket, connection) =>
      socket.write(connection === 1 ? 'garbage\r\n\r\n' : ok('x')),
    );
    await expect(engine.exchange(get(), within())).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
    await engine.exchange(get(), within());
    expect(connections()).toBe(2);
  });

  it('never takes a second answer for that of the next request', async () => {
    const { engine } = await serving((_, socket, connection) =>
      socket.write(connection === 1 ? ok('mine') + ok('smuggled') : ok('yours')),
    );
    expect(await engine.exchange(get(), within())).toMatchObject({ text: 'mine' });
    await vi.waitFor(
      async () => expect(await engine.exchange(get(), within())).toMatchObject({ text: 'yours' }),
      20_000,
    );
  });

  // Each in one piece with the answer before it, as far as it goes; the rest comes with the next answer.
  it.each([
    ['a half head', 'HTTP/1.1 200 OK\r\nContent-Le', `ngth: 8\r\n\r\nsmuggled`],
    ['a half body', 'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmug', 'gled'],
    ['an answer without an end', 'HTTP/1.1 200 OK\r\n\r\nsmuggled', ''],
    ['a notice', 'HTTP/1.1 100 Continue\r\n\r\n', ok('smuggled')],
    ['a line break', '\r\n', ok('smuggled')],
  ])('never takes what follows an answer, even %s, for that of the next request', async (_, begun, rest) => {
    const { engine, connections } = await serving((request, socket, connection) => {
      if (connection > 1) socket.write(ok('yours'));
      else socket.write(request.startsWith('GET /first ') ? ok('mine') + begun : rest + ok('behind'));
    });
    expect(await engine.exchange(get('/first'), within())).toMatchObject({ text: 'mine' });
    expect(await engine.exchange(get('/second'), within())).toMatchObject({ text: 'yours' });
    expect(connections()).toBe(2);
  });

  it('with an answer that is longer than any text can be fails, and says so', async () => {
    const { engine } = await serving((_, socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 600000000\r\n\r\n{'),
    );
    await expect(engine.exchange(get(), within())).rejects.toMatchObject({ code: 'ANSWER_TOO_LONG' });
  });

  it('fails where an answer proves too long only as it comes', async () => {
    const { engine } = await serving((_, socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nmore than ten'), 10);
    await expect(engine.exchange(get(), within())).rejects.toMatchObject({ code: 'ANSWER_TOO_LONG' });
  });

  it('ends though it is called off in the very moment in which it gets its connection', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const { engine, opened } = await serving(() => {});
      const caller = new AbortController();
      const deadline = startDeadline(60_000, caller.signal);
      const exchange = engine.exchange(get(), deadline);
      let turn = opened();
      for (let i = 0; i < turns; i += 1) turn = turn.then(() => {});
      void turn.then(() => caller.abort(new Error('called off')));
      await expect(exchange).rejects.toThrow('called off');
      deadline.end();
    }
  });

  it('ends with its deadline, and the late answer meets nobody', async () => {
    const late = Promise.withResolvers<Socket>();
    const { engine } = await serving((request, socket) => {
      if (request.includes('/slow')) late.resolve(socket);
      else socket.write(ok('quick'));
    });
    await expect(engine.exchange(get('/slow'), within(50))).rejects.toMatchObject({ name: 'TimeoutError' });
    (await late.promise).write(ok('late'));
    expect(await engine.exchange(get(), within())).toMatchObject({ text: 'quick' });
  });

  it.each([
    ['a path with a line break', { path: '/x\r\nEvil: yes' }],
    ['a header with a line break', { headers: { accept: 'a\r\nEvil: yes' } }],
    ['a header name with a space', { headers: { 'a b': 'c' } }],
  ])('refuses %s, and sends nothing', async (_, part) => {
    const { engine, requests } = await serving(() => {});
    await expect(engine.exchange({ ...get(), ...part }, within())).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });

  it('refuses a line break also where the same lines were sent before, as two headers', async () => {
    const { engine, requests } = await serving((_, socket) => socket.write(ok('x')));
    await engine.exchange({ ...get(), headers: { a: 'b', c: 'd' } }, within());
    const smuggling = engine.exchange({ ...get(), headers: { a: 'b\r\nc: d' } }, within());
    await expect(smuggling).rejects.toThrow(TypeError);
    expect(requests).toHaveLength(1);
  });

  it('ends what is under way when the client is closed', async () => {
    const { engine, requests } = await serving(() => {});
    const waiting = engine.exchange(get(), within());
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
    await vi.waitFor(() => expect(requests).toHaveLength(1), 20_000);
    engine.destroy();
    await outcome;
  });
});

describe('a stream', () => {
  it('gives what comes, and what came before a failure first', async () => {
    const { engine } = await serving((_, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
      setImmediate(() => socket.destroy());
    });
    const { body } = await engine.open(get(), within(), 0);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of body) seen.push(Buffer.from(chunk).toString());
    })();
    await expect(reading).rejects.toMatchObject({ code: expect.stringMatching(/CONNECTION_LOST|ECONNRESET/) });
    expect(seen).toEqual(['abc']);
  });

  it('that goes quiet fails', async () => {
    const { engine } = await serving((_, socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhello'));
    const { body } = await engine.open(get(), within(), 50);
    const reading = (async () => {
      for await (const _ of body);
    })();
    await expect(reading).rejects.toMatchObject({ name: 'StreamWentQuiet' });
  });

  it('makes the server wait for a reader that takes its time, and loses nothing', async () => {
    const size = 8 * 1024 * 1024;
    const { engine } = await serving((_, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      socket.write(Buffer.alloc(size, 'x'));
    });
    const idle = 1_000;
    const { body } = await engine.open(get(), within(20_000), idle);
    let read = 0;
    for await (const chunk of body) {
      // Longer than the idle time, once: silence that is our own fault counts for nothing.
      if (read === 0) await new Promise((resolve) => setTimeout(resolve, 1.5 * idle));
      read += chunk.length;
    }
    expect(read).toBe(size);
  });

  it('that was left behind unread does not hold up the next one on its connection', async () => {
    // Just as much as makes the server wait: its last byte does.
    const size = 1024 * 1024;
    let last = 0;
    const { engine, requests } = await serving((request, socket, connection) => {
      last = connection;
      if (request.startsWith('GET /large ')) socket.write(ok('x'.repeat(size)));
      // Others never are free again, so the first one is taken once it is.
      else if (connection === 1) socket.write(ok('small'));
    });
    await engine.open(get('/large'), within(), 0);
    const answered = Promise.withResolvers<void>();
    const ask = async () => {
      for await (const _ of (await engine.open(get('/small'), within(30_000), 0)).body);
      answered.resolve();
    };
    const another = async () => {
      const before = requests.length;
      ask().catch(() => {});
      await vi.waitUntil(() => requests.length > before, { timeout: 20_000 });
      expect(last).toBe(1);
    };
    // A busy machine takes more than a second for it.
    await vi.waitFor(another, { timeout: 20_000 });
    await answered.promise;
  });

  it('that nobody reads to the end frees its connection', async () => {
    const closed = Promise.withResolvers<void>();
    const { engine } = await serving((_, socket) => {
      socket.on('close', () => closed.resolve());
      socket.write('HTTP/1.1 200 OK\r\n\r\nhello');
    });
    const { body } = await engine.open(get(), within(), 0);
    for await (const _ of body) break;
    await closed.promise;
  });
});
