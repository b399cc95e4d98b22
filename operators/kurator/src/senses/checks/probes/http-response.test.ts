import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BodyWish, type Progress, ResponseReader } from './http-response.ts';

const wish: BodyWish = { bytes: 1000, keep: true, none: false };

/** Reads the pieces until the reader has enough, then what the end means. */
function read(pieces: readonly string[], how: Partial<BodyWish> = {}) {
  const reader = new ResponseReader({ ...wish, ...how });
  let progress: Progress = 'more';
  for (const piece of pieces) {
    if (progress === 'more') progress = reader.push(piece);
  }
  const ended = progress === 'more' ? reader.end() : progress;
  const { status, body, cut, problem } = reader;
  return { progress, ended, status, body, cut, problem: problem?.kind };
}

/** Every way to cut the text into pieces would be too many: some of them. */
const cutUp = (text: string) =>
  fc
    .array(fc.integer({ min: 0, max: text.length }), { maxLength: 8 })
    .map((cuts) => [0, ...cuts.sort((a, b) => a - b), text.length])
    .map((cuts) => cuts.slice(1).map((end, i) => text.slice(cuts[i], end)));

const responses = {
  'with a length': ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'hello'],
  'with nothing': ['HTTP/1.1 204 No Content\r\nServer: x\r\n\r\n', ''],
  'in chunks': [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nX: y\r\n\r\n',
    'hello',
  ],
  'until the end': ['HTTP/1.0 200 OK\r\nServer: x\r\n\r\nhello', 'hello'],
  'after early hints': [
    'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
    'hello',
  ],
  'with single line feeds': ['HTTP/1.1 200 OK\nContent-Length: 5\n\nhello', 'hello'],
  'with no reason': ['HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello', 'hello'],
  'with a header of two lines': ['HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nhello', 'hello'],
  'with the same length twice': ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello', 'hello'],
} as const;

describe('a response', () => {
  it.each(Object.entries(responses))('is read whole %s, however it is cut up', (_, [text, body]) => {
    const whole = read([text]);
    expect(whole).toMatchObject({ ended: 'done', body, cut: false, problem: undefined });
    fc.assert(
      fc.property(cutUp(text), (pieces) => {
        expect({ ...read(pieces), progress: '' }).toEqual({ ...whole, progress: '' });
      }),
    );
  });

  it('is over with its last byte, without waiting for the end', () => {
    expect(read([responses['with a length'][0]]).progress).toBe('done');
    expect(read([responses['in chunks'][0]]).progress).toBe('done');
    expect(read([responses['with nothing'][0]]).progress).toBe('done');
    expect(read([responses['until the end'][0]]).progress).toBe('more');
  });

  it('has no body after HEAD, whatever length it tells', () => {
    const { progress, body } = read(['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'], { none: true });
    expect({ progress, body }).toEqual({ progress: 'done', body: '' });
  });

  it.each(Object.entries(responses))('is never taken for whole when it is cut off %s', (name, [text]) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: text.length - 1 }), (length) => {
        const { ended, status } = read([text.slice(0, length)]);
        // Without a length nobody can tell.
        const mayBeWhole = name === 'until the end' && status === 200;
        expect(ended).toBe(mayBeWhole ? 'done' : 'bad');
      }),
    );
  });

  it.each([
    ['of another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'protocol'],
    ['of TLS', '\x15\x03\x01\x00\x02\x02\x46', 'protocol'],
    ['of HTTP/2', '\x00\x00\x12\x04\x00', 'protocol'],
    ['with a broken status', 'HTTP/1.1 abc\r\n\r\n', 'protocol'],
    ['with a broken header', 'HTTP/1.1 200 OK\r\nno colon here\r\n\r\n', 'protocol'],
    ['with a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', 'protocol'],
    ['with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 'protocol'],
    ['with a broken chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', 'protocol'],
    ['with a chunk of another size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n', 'protocol'],
    ['with endless headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(10_000)}`, 'too-large'],
    ['with endless hints', 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(2000), 'too-large'],
    [
      'with endless trailers',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'X: y\r\n'.repeat(10_000)}`,
      'too-large',
    ],
    ['that is empty', '', 'closed'],
  ])('%s is refused', (_, text, problem) => {
    expect(read([text])).toMatchObject({ ended: 'bad', problem });
  });

  it.each([
    ['with a length', `HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${'a'.repeat(3000)}`],
    ['in chunks', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${`5\r\naaaaa\r\n`.repeat(300)}`],
    ['until the end', `HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(3000)}`],
  ])('is read no further than wanted %s', (_, text) => {
    expect(read([text])).toMatchObject({ progress: 'done', body: 'a'.repeat(1000), cut: true });
  });

  it('keeps no body that nobody wants', () => {
    expect(read([responses['in chunks'][0]], { keep: false })).toMatchObject({ progress: 'done', body: '' });
  });

  it('never throws, and holds no more than its bounds, whatever comes', () => {
    const junk = fc.array(
      fc.oneof(
        fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
        fc.constantFrom(
          'HTTP/1.1 200 OK\r\n',
          'Content-Length: 3\r\n',
          'Transfer-Encoding: chunked\r\n',
          '\r\n',
          '\n',
          '5\r\n',
          '0\r\n',
        ),
      ),
    );
    fc.assert(
      fc.property(junk, (pieces) => {
        expect(read(pieces).body.length).toBeLessThanOrEqual(wish.bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('costs little when it comes byte by byte', () => {
    const reader = new ResponseReader(wish);
    const started = performance.now();
    let progress: Progress = 'more';
    for (let i = 0; i < 40_000 && progress === 'more'; i++)
      progress = reader.push(i === 0 ? 'HTTP/1.1 200 OK\r\nX: ' : 'a');
    expect(reader.problem?.kind).toBe('too-large');
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
