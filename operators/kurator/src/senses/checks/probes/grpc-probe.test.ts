/** gRPC health checks against servers made of node:http2, and against ones that are none. */
import { createSecureServer, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../test/support/checks/certificate.ts';
import { answering, rawServer, started } from '../../../../test/support/checks/raw-server.ts';
import { patiently, runProbe } from '../../../../test/support/checks/run-probe.ts';

type Serve = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, request: Buffer) => void;

function serving(server: ReturnType<typeof createServer>, serve: Serve) {
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => serve(stream, headers, Buffer.concat(chunks)));
  });
  return started(server, () => {});
}
const grpcServer = (serve: Serve) => serving(createServer(), serve);

/** A whole answer: the message, and the status after it. */
function answer(stream: ServerHttp2Stream, message: readonly number[], trailers: Record<string, string>): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(Buffer.from([0, 0, 0, 0, message.length, ...message]));
}
/** A status alone, as servers send it when a call fails. */
const refuse = (stream: ServerHttp2Stream, status: number, message = '') =>
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status, 'grpc-message': message },
    { endStream: true },
  );
const says =
  (status: number): Serve =>
  (stream) =>
    answer(stream, [0x08, status], { 'grpc-status': '0' });

describe('a gRPC check', () => {
  it('is healthy when the server says SERVING', async () => {
    let asked = '';
    await using server = await grpcServer((stream, headers, request) => {
      asked = `${headers[':path']} ${headers['content-type']} ${headers.te} ${request.toString('hex')}`;
      says(1)(stream, headers, request);
    });
    const probe = { kind: 'grpc', host: server.host, port: server.port, service: 'shop' } as const;
    const finding = await runProbe(probe, patiently);
    expect(finding).toMatchObject({ outcome: 'healthy', message: '' });
    expect(finding.connectMs).toBeGreaterThan(0);
    expect(asked).toBe('/grpc.health.v1.Health/Check application/grpc trailers 00000000060a0473686f70');
  });

  it('speaks TLS, and tells when the certificate ends', async () => {
    const { cert, key, notAfter } = selfSigned();
    await using server = await serving(createSecureServer({ cert, key }), says(1));
    const probe = { kind: 'grpc', host: server.host, port: server.port } as const;
    expect(await runProbe({ ...probe, tls: { ca: cert } }, patiently)).toMatchObject({
      outcome: 'healthy',
      certificateExpiresAt: notAfter,
    });
    expect(await runProbe({ ...probe, tls: {} }, patiently)).toMatchObject({ errorKind: 'tls-untrusted' });
  });

  it.each([
    ['NOT_SERVING', says(2), 'failing', 'not-serving'],
    ['SERVICE_UNKNOWN', says(3), 'failing', 'not-serving'],
    ['NOT_FOUND', (stream) => refuse(stream, 5, 'no%20such%20service'), 'failing', 'not-serving'],
    ['UNAVAILABLE', (stream) => refuse(stream, 14), 'failing', 'grpc-status'],
    ['UNIMPLEMENTED', (stream) => refuse(stream, 12), 'unknown', 'unimplemented'],
    ['UNAUTHENTICATED', (stream) => refuse(stream, 16), 'unknown', 'checker-denied'],
    ['HTTP 404', (stream) => stream.respond({ ':status': 404 }, { endStream: true }), 'unknown', 'unimplemented'],
    ['HTTP 503', (stream) => stream.respond({ ':status': 503 }, { endStream: true }), 'failing', 'grpc-status'],
    ['something else', (stream) => answer(stream, [1, 2, 3], { 'grpc-status': '0' }), 'failing', 'protocol'],
    ['no status', (stream) => answer(stream, [0x08, 1], {}), 'failing', 'grpc-status'],
    ['nothing, and closes', (stream) => stream.session?.destroy(), 'failing', 'closed'],
    ['a broken-off stream', (stream) => stream.close(2), 'failing', 'protocol'],
  ] as [string, Serve, string, string][])('says %s', async (_, serve, outcome, errorKind) => {
    await using server = await grpcServer(serve);
    const finding = await runProbe({ kind: 'grpc', host: server.host, port: server.port }, patiently);
    expect(finding).toMatchObject({ outcome, errorKind });
  });

  it('never says anything: a hang', async () => {
    await using server = await grpcServer(() => {});
    const finding = await runProbe({ kind: 'grpc', host: server.host, port: server.port });
    expect(finding).toMatchObject({ outcome: 'failing', errorKind: 'response-timeout' });
  });

  it('sends more than a health response', async () => {
    await using server = await grpcServer((stream) => {
      stream.respond({ ':status': 200 });
      stream.write(Buffer.alloc(100_000));
    });
    const finding = await runProbe({ kind: 'grpc', host: server.host, port: server.port }, patiently);
    expect(finding).toMatchObject({ outcome: 'failing', errorKind: 'protocol' });
  });

  it.each([
    ['HTTP/1.1', () => answering('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'), /protocol|closed/],
    ['garbage', () => rawServer((socket) => void socket.write(Buffer.alloc(500, 7))), /protocol/],
    ['nothing', () => rawServer((socket) => socket.end()), /closed|reset/],
    ['a reset', () => rawServer((socket) => socket.on('data', () => socket.resetAndDestroy())), /reset|closed/],
  ] as const)('is answered with %s', async (_, serve, kinds) => {
    await using server = await serve();
    const finding = await runProbe({ kind: 'grpc', host: server.host, port: server.port }, patiently);
    expect(finding.outcome).toBe('failing');
    expect(finding.errorKind).toMatch(kinds);
  });

  it('is unknown when it makes no sense', async () => {
    const probe = { kind: 'grpc', host: '127.0.0.1', port: 1, authority: 'a b' } as const;
    expect(await runProbe(probe)).toMatchObject({ outcome: 'unknown', errorKind: 'invalid-check' });
  });
});
