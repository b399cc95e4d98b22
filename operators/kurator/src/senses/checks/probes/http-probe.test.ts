/** HTTP checks against real servers on loopback, good and bad. */
import { describe, expect, it } from 'vitest';
import { answering, onRequest, type RawServer, rawServer } from '../../../../test/support/checks/raw-server.ts';
import { patiently, runProbe } from '../../../../test/support/checks/run-probe.ts';
import type { HttpProbe } from '../check.ts';

const probeOf = ({ host, port }: RawServer, settings: Partial<HttpProbe> = {}): HttpProbe => ({
  kind: 'http',
  host,
  port,
  ...settings,
});
const ok = (body = 'ok', headers = '') =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${Buffer.from(body).toString('latin1')}`;
const redirectTo = (location: string) => `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;

describe('an HTTP check of a server that behaves', () => {
  it('is healthy, with status and timing', async () => {
    await using server = await answering(ok());
    const finding = await runProbe(probeOf(server, { path: '/healthz?full=1' }), patiently);
    expect(finding).toMatchObject({ outcome: 'healthy', statusCode: 200, message: '' });
    expect(finding.connectMs).toBeGreaterThan(0);
    expect(server.received()).toMatch(/^GET \/healthz\?full=1 HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\n/);
  });

  it.each([
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['until it closes', 'HTTP/1.0 200 OK\r\n\r\nok'],
    ['with a length', ok()],
  ])('reads a body %s', async (_, answer) => {
    await using server = await answering(answer);
    const probe = probeOf(server, { expect: { bodyContains: 'ok' } });
    expect(await runProbe(probe, patiently)).toMatchObject({ outcome: 'healthy' });
  });

  it('does not wait for a connection that the server keeps open', async () => {
    await using server = await rawServer((socket) => onRequest(socket, () => socket.write(ok())));
    expect(await runProbe(probeOf(server), patiently)).toMatchObject({ outcome: 'healthy' });
  });

  it('ends cleanly: the server sees no reset', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    await using server = await rawServer((socket) => {
      socket.on('error', () => resolve('reset'));
      socket.on('end', () => resolve('end'));
      onRequest(socket, () => socket.write(ok('x'.repeat(20_000))));
    });
    await runProbe(probeOf(server), patiently);
    expect(await promise).toBe('end');
  });

  it('takes HEAD as it is', async () => {
    await using server = await answering('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n');
    expect(await runProbe(probeOf(server, { method: 'HEAD' }), patiently)).toMatchObject({ outcome: 'healthy' });
  });
});

describe('what is expected of an answer', () => {
  it.each([
    [200, undefined, 'healthy'],
    [302, undefined, 'healthy'],
    [404, undefined, 'failing'],
    [503, undefined, 'failing'],
    [404, [[404, 404]], 'healthy'],
    [200, [[300, 399]], 'failing'],
    [
      204,
      [
        [200, 200],
        [204, 204],
      ],
      'healthy',
    ],
  ] as const)('status %i with %j is %s', async (status, statuses, outcome) => {
    await using server = await answering(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`);
    const finding = await runProbe(probeOf(server, statuses ? { expect: { statuses } } : {}), patiently);
    expect(finding).toMatchObject({ outcome, statusCode: status });
    if (outcome === 'failing') expect(finding).toMatchObject({ errorKind: 'status' });
  });

  it.each([
    [{ bodyContains: 'grün' }, 'alles grün', undefined],
    [{ bodyContains: 'rot' }, 'alles grün', 'body'],
    [{ bodyMatches: '"queue":\\s*\\d{1,2}\\b' }, '{"queue": 17}', undefined],
    [{ bodyMatches: '"queue":\\s*\\d{1,2}\\b' }, '{"queue": 1700}', 'body'],
    [{ headers: { 'x-version': '2.' } }, '', undefined],
    [{ headers: { 'X-Version': '3.' } }, '', 'header'],
    [{ headers: { 'x-other': '' } }, '', 'header'],
  ])('%j of %j', async (expected, body, errorKind) => {
    await using server = await answering(ok(body, 'X-Version: 2.1\r\n'));
    const finding = await runProbe(probeOf(server, { expect: expected }), patiently);
    expect(finding.errorKind).toBe(errorKind);
  });

  it('is unknown, not failing, when the pattern takes too long', async () => {
    await using server = await answering(ok(`${'a'.repeat(80)}b`));
    const finding = await runProbe(probeOf(server, { expect: { bodyMatches: '^(a+)+$' } }), patiently);
    expect(finding).toMatchObject({ outcome: 'unknown', errorKind: 'pattern-timeout' });
  });

  it.each([
    [{ expect: { bodyMatches: '(' } }, 'bodyMatches'],
    [{ expect: { statuses: [[500, 200]] } }, 'statuses'],
    [{ expect: { bodyBytes: 0 } }, 'bodyBytes'],
    [{ redirects: 50 }, 'redirects'],
    [{ path: 'x' }, 'path'],
    [{ tls: { ca: 'nonsense' } }, 'tls.ca'],
  ] as [Partial<HttpProbe>, string][])('is unknown when it makes no sense: %j', async (settings, field) => {
    const finding = await runProbe({ kind: 'http', host: '127.0.0.1', port: 1, ...settings });
    expect(finding).toMatchObject({ outcome: 'unknown', errorKind: 'invalid-check' });
    expect(finding.message).toContain(field);
  });
});

describe('an HTTP check of a server that misbehaves', () => {
  it('never answers: a hang', async () => {
    await using server = await rawServer(() => {});
    const finding = await runProbe(probeOf(server));
    expect(finding).toMatchObject({ outcome: 'failing', errorKind: 'response-timeout' });
    expect(finding.connectMs).toBeGreaterThan(0);
  });

  it('drips its headers, byte by byte', async () => {
    await using server = await rawServer((socket) => {
      const timer = setInterval(() => socket.write('X'), 5);
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      socket.on('close', () => clearInterval(timer));
    });
    expect(await runProbe(probeOf(server))).toMatchObject({ outcome: 'failing', errorKind: 'response-timeout' });
  });

  it('drips its body, byte by byte', async () => {
    await using server = await rawServer((socket) => {
      const timer = setInterval(() => socket.write('x'), 5);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      socket.on('close', () => clearInterval(timer));
    });
    const finding = await runProbe(probeOf(server));
    expect(finding).toMatchObject({ outcome: 'failing', errorKind: 'body-timeout', statusCode: 200 });
  });

  /** As much as the client takes. */
  const flood = (head: string, unit: string) =>
    rawServer((socket) => {
      const pour = () => {
        while (!socket.destroyed && socket.write(unit.repeat(1000)));
      };
      socket.on('drain', pour);
      socket.write(head);
      pour();
    });

  it('sends an endless body: what was read decides', async () => {
    await using server = await flood('HTTP/1.1 200 OK\r\n\r\n', 'abcdefgh');
    const finds = (expected: HttpProbe['expect']) => runProbe(probeOf(server, { expect: expected ?? {} }), patiently);
    expect(await finds({})).toMatchObject({ outcome: 'healthy', statusCode: 200 });
    expect(await finds({ bodyContains: 'abcd' })).toMatchObject({ outcome: 'healthy' });
    expect(await finds({ bodyContains: 'xyz' })).toMatchObject({ outcome: 'failing', errorKind: 'body' });
  });

  it('sends endless headers', async () => {
    await using server = await flood('HTTP/1.1 200 OK\r\n', 'X-More: of the same\r\n');
    expect(await runProbe(probeOf(server), patiently)).toMatchObject({ outcome: 'failing', errorKind: 'too-large' });
  });

  it('sends endless chunks', async () => {
    await using server = await flood('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n');
    expect(await runProbe(probeOf(server), patiently)).toMatchObject({ outcome: 'healthy' });
  });

  it.each([
    ['closes at once', (server: Parameters<Parameters<typeof rawServer>[0]>[0]) => server.end(), 'closed'],
    ['resets', (socket) => onRequest(socket, () => socket.resetAndDestroy()), 'reset'],
    ['closes in its headers', (socket) => onRequest(socket, () => socket.end('HTTP/1.1 200 OK\r\nX:')), 'truncated'],
    [
      'closes in its body',
      (socket) => onRequest(socket, () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab')),
      'truncated',
    ],
    ['speaks another protocol', (socket) => void socket.write('220 mail.example ESMTP\r\n'), 'protocol'],
    ['sends garbage', (socket) => void socket.write(Buffer.from([0, 255, 7, 13, 10, 13, 10])), 'protocol'],
  ] as [string, Parameters<typeof rawServer>[0], string][])('%s', async (_, serve, errorKind) => {
    await using server = await rawServer(serve);
    expect(await runProbe(probeOf(server), patiently)).toMatchObject({ outcome: 'failing', errorKind });
  });

  it('says what it said, in one printable line', async () => {
    await using server = await rawServer((socket) => void socket.write(`\x1b[2J\r\nevil\n${'y'.repeat(5000)}`));
    const { message } = await runProbe(probeOf(server), patiently);
    expect(message.length).toBeLessThanOrEqual(240);
    expect(message).not.toMatch(/\p{Cc}/u);
  });
});

describe('redirects', () => {
  it('are an answer unless they are to be followed', async () => {
    await using server = await answering(redirectTo('/there'));
    expect(await runProbe(probeOf(server), patiently)).toMatchObject({ outcome: 'healthy', statusCode: 302 });
    expect(server.connections()).toBe(1);
  });

  it('are followed on the same host, each over a new connection', async () => {
    await using server = await answering(redirectTo('/one'), redirectTo('two?x=1'), ok());
    const finding = await runProbe(probeOf(server, { redirects: 2, expect: { statuses: [[200, 200]] } }), patiently);
    expect(finding).toMatchObject({ outcome: 'healthy', statusCode: 200 });
    expect(server.received()).toContain('GET /two?x=1 HTTP/1.1\r\n');
    expect(server.connections()).toBe(3);
  });

  it('fail when there are too many', async () => {
    await using server = await answering(redirectTo('/again'));
    const finding = await runProbe(probeOf(server, { redirects: 3 }), patiently);
    expect(finding).toMatchObject({ outcome: 'failing', errorKind: 'redirects' });
    expect(server.connections()).toBe(4);
  });

  it.each(['http://elsewhere.example/', '//127.0.0.2/', 'https://127.0.0.1/', 'http://[', 'javascript:alert(1)'])(
    'are never followed to %s',
    async (location) => {
      await using server = await answering(redirectTo(location), ok());
      const finding = await runProbe(probeOf(server, { redirects: 5, expect: { statuses: [[200, 200]] } }), patiently);
      expect(finding).toMatchObject({ outcome: 'failing', errorKind: 'status', statusCode: 302 });
      expect(server.connections()).toBe(1);
    },
  );
});
