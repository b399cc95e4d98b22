import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseParser } from './response-parser.ts';

interface Read {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  reusable?: boolean;
}

/** Feeds the pieces, one after another, then the end of the connection; after each answer the next one is awaited. */
function read(...pieces: (string | Buffer)[]): { answers: Read[]; endedWell: boolean } {
  const answers: Read[] = [];
  const last = () => answers.at(-1) as Read;
  const parser = new ResponseParser({
    onHead: (status, headers) => answers.push({ status, headers, body: '' }),
    onData: (chunk) => {
      last().body += chunk.toString('latin1');
    },
    onEnd: (reusable) => {
      last().reusable = reusable;
      parser.await();
    },
  });
  parser.await();
  for (const piece of pieces) parser.feed(Buffer.from(piece as string, 'latin1'));
  return { answers, endedWell: parser.finish() };
}

const head = (...lines: string[]) => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;

describe('an answer', () => {
  it('has a body of the length that it says', () => {
    const { answers } = read(`${head('Content-Type: application/json', 'Content-Length: 2')}{}`);
    expect(answers).toEqual([
      {
        status: 200,
        headers: { 'content-type': 'application/json', 'content-length': '2' },
        body: '{}',
        reusable: true,
      },
    ]);
  });

  it('may come in chunks, with extensions and trailers', () => {
    const { answers } = read(
      `${head('Transfer-Encoding: chunked')}3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n`,
    );
    expect(answers).toMatchObject([{ body: 'abc0123456789', reusable: true }]);
  });

  it('may end with the connection, which then is of no more use', () => {
    const { answers, endedWell } = read(head(), 'some', ' text');
    expect(answers).toMatchObject([{ body: 'some text', reusable: false }]);
    expect(endedWell).toBe(true);
  });

  it.each([
    'HTTP/1.1 204 No Content\r\n\r\n',
    'HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n',
    head('Content-Length: 0'),
  ])('may have no body: %j', (text) => {
    const { answers } = read(text, text);
    expect(answers).toMatchObject([
      { body: '', reusable: true },
      { body: '', reusable: true },
    ]);
  });

  it('is not the one that says "go on"', () => {
    const { answers } = read(`HTTP/1.1 100 Continue\r\n\r\n${head('Content-Length: 1')}x`);
    expect(answers).toMatchObject([{ status: 200, body: 'x' }]);
  });

  it.each([
    [head('Content-Length: 0', 'Connection: close'), false],
    ['HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', false],
    ['HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n', true],
  ])('says whether the connection may be used again: %j', (text, reusable) => {
    expect(read(text).answers).toMatchObject([{ reusable }]);
  });

  it('joins headers of the same name', () => {
    expect(read(head('Warning: a', 'warning: b', 'Content-Length: 0')).answers[0]?.headers.warning).toBe('a, b');
  });

  it.each([
    '',
    'HTTP/1.1 200 OK\r\nContent-Le',
    `${head('Content-Length: 5')}abc`,
    `${head('Transfer-Encoding: chunked')}3\r\nab`,
  ])('that was cut off did not end well: %j', (text) => {
    expect(read(text).endedWell).toBe(false);
  });

  it.each([
    'SSH-2.0-OpenSSH_9.2\r\n\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 099 Too Small\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'HTTP/1.1 100 Continue\r\nno colon\r\n\r\n',
    'HTTP/1.1 200 OK\nContent-Length: 1\r\n\r\nx',
    'HTTP/1.1 2000 OK\r\n\r\n',
    head('no colon'),
    head(': no name'),
    head('Content-Length : 1'),
    head('X: a\nContent-Length: 1'),
    head('X: a\rContent-Length: 1'),
    head('X: a', ' Content-Length: 1'),
    head('X: \0'),
    head('Content-Length: -1'),
    head('Content-Length: 1, 1'),
    head('Transfer-Encoding: gzip'),
    head('Transfer-Encoding: chunked', 'Content-Length: 3'),
    `${head('Transfer-Encoding: chunked')}xyz\r\n`,
    `${head('Transfer-Encoding: chunked')}1\r\nab\r\n`,
    `${head('Transfer-Encoding: chunked')}1\na\r\n0\r\n\r\n`,
    `${head('Transfer-Encoding: chunked')}1;\r;\r\na\r\n0\r\n\r\n`,
    `${head('Transfer-Encoding: chunked')}0\r\nno colon\r\n\r\n`,
    `${head('Transfer-Encoding: chunked')}0\r\n${'A: b\r\n'.repeat(20_000)}\r\n`,
    `${head('Transfer-Encoding: chunked')}${'0'.repeat(2000)}`,
    'x'.repeat(70_000),
  ])('that makes no sense is refused: %.60j', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ name: 'ProtocolError' }));
  });

  it('is the same in whatever pieces it comes', () => {
    const body = fc.string({ maxLength: 60 });
    const answer = fc.oneof(
      body.map((text) => `${head('A: b', `Content-Length: ${Buffer.byteLength(text, 'latin1')}`)}${text}`),
      fc
        .array(fc.string({ minLength: 1, maxLength: 20 }))
        .map(
          (chunks) =>
            `${head('Transfer-Encoding: chunked')}${chunks.map((chunk) => `${Buffer.byteLength(chunk, 'latin1').toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`,
        ),
      fc.constant('HTTP/1.1 204 No Content\r\n\r\n'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(answer, fc.array(fc.nat(400))), { minLength: 1, maxLength: 4 }), (answers) => {
        const whole = answers.map(([text]) => Buffer.from(text, 'latin1'));
        const pieces = answers.flatMap(([, cuts], i) => {
          const all = whole[i] as Buffer;
          const places = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
          return places.slice(1).map((end, at) => all.subarray(places[at], end));
        });
        const full = pieces.filter(({ length }) => length > 0);
        expect(read(...full)).toEqual(read(...whole));
        expect(read(...whole).answers).toHaveLength(answers.length);
      }),
    );
  });
});
