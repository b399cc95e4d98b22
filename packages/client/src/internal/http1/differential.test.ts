// Our client against Node's, on random answers and requests. `npm run bench -- http-fuzz` does the same for hours.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { served } from '../../../test/support/http-fuzz/answers.ts';
import { readAlone } from '../../../test/support/http-fuzz/clients.ts';
import { compare } from '../../../test/support/http-fuzz/compare.ts';
import { startDeadline } from '../deadline.ts';
import type { WireRequest } from '../engine.ts';
import { createHttp1Engine } from './engine.ts';
import { LONGEST_HEAD } from './response-parser.ts';

const row = fc.array(served, { minLength: 1, maxLength: 3 });

describe('answers', () => {
  it('are read as Node reads them, or differ as listed; and no history changes one', async () => {
    await fc.assert(
      fc.asyncProperty(row, async (answers) => void (await compare(answers))),
      { seed: 14, numRuns: 400 },
    );
  });

  it.each([-1, 0, 1])('with a head of %i bytes more than it may have read the same in pieces', async (more) => {
    const before = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ';
    const text = `${before}${'x'.repeat(LONGEST_HEAD + more - before.length)}\r\n\r\n`;
    const alone = readAlone({ pieces: [text], apart: false, after: 'stays' });
    expect(alone.outcome.kind).toBe(more > 0 ? 'refused' : 'answer');
    for (const pieces of [[text], [text.slice(0, -2), text.slice(-2)]]) {
      expect(await compare([{ pieces, apart: false, after: 'stays' }])).toMatchObject({ requests: 1 });
    }
  });

  it('are the same over a real socket', async () => {
    // One that ends by itself, or with its connection: what would wait is cut off.
    const ending = served.map((one) =>
      readAlone(one).outcome.kind === 'waits' ? { ...one, after: 'ends' as const } : one,
    );
    await using server = await tcpServer();
    await fc.assert(
      fc.asyncProperty(ending, async (answer) => {
        const { outcome } = readAlone(answer);
        const { pieces, after } = answer;
        const got = await server.read(pieces, after !== 'stays');
        if (outcome.kind === 'answer') expect(got).toMatchObject({ status: outcome.status, text: outcome.body });
        else expect(got).toBeInstanceOf(Error);
      }),
      { seed: 14, numRuns: 300 },
    );
  });
});

describe('requests', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('a\r\nb: c', '\n', '\0', 'é'),
  );
  const request: fc.Arbitrary<WireRequest> = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    path: fc.oneof(fc.webPath(), word).map((path) => `/${path}`),
    headers: fc.dictionary(
      fc.oneof(fc.constantFrom('accept', 'x-a', 'authorization', 'a b', 'a:'), word),
      fc.oneof(word, fc.array(word, { maxLength: 2 })),
      { maxKeys: 3 },
    ),
    body: fc.option(fc.string({ unit: 'binary', maxLength: 30 }), { nil: undefined }),
  });

  it('arrive as they were meant, one by one, or are not sent', async () => {
    const got: { request: IncomingMessage; body: string }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      got.push({ request, body });
      response.end('done');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const engine = createHttp1Engine('server', async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    });
    try {
      await fc.assert(
        fc.asyncProperty(request, async (wire) => {
          got.length = 0;
          const deadline = startDeadline(10_000, undefined);
          const answer = await engine.exchange(wire, deadline).catch((error: unknown) => error);
          deadline.end();
          if (answer instanceof TypeError) {
            expect(got).toEqual([]);
            return;
          }
          expect(answer).toMatchObject({ status: 200, text: 'done' });
          expect(got).toHaveLength(1);
          const [{ request, body } = expect.unreachable()] = got;
          const sent = Object.entries(wire.headers).flatMap(([name, value]) =>
            [value].flat().map((one) => [name, one.trim()]),
          );
          const length = wire.body === undefined ? [] : [['content-length', String(Buffer.byteLength(wire.body))]];
          expect({ method: request.method, path: request.url, body, headers: pairs(request.rawHeaders) }).toEqual({
            method: wire.method,
            path: wire.path,
            body: wire.body === undefined ? '' : Buffer.from(wire.body).toString(),
            headers: [['host', 'server'], ...sent, ...length],
          });
        }),
        { seed: 14, numRuns: 500 },
      );
    } finally {
      engine.destroy();
      server.close();
    }
  });
});

function pairs(raw: readonly string[]): string[][] {
  return raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] as string]] : []));
}

/** Serves one answer to each request, on a connection of its own. */
async function tcpServer() {
  let [pieces, ends]: [readonly string[], boolean] = [[], false];
  const server = createTcpServer((socket) => {
    socket.setNoDelay(true).on('error', () => {});
    socket.once('data', () => {
      for (const piece of pieces) socket.write(Buffer.from(piece, 'latin1'));
      if (ends) socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    async read(answer: readonly string[], thenEnds: boolean): Promise<unknown> {
      [pieces, ends] = [answer, thenEnds];
      const engine = createHttp1Engine('server', async () => {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        return socket;
      });
      const deadline = startDeadline(10_000, undefined);
      try {
        return await engine.exchange({ method: 'GET', path: '/', headers: {} }, deadline);
      } catch (error) {
        return error;
      } finally {
        deadline.end();
        engine.destroy();
      }
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
