/** HTTPS checks: certificates good and bad, and servers that don't get as far as showing one. */
import { createServer } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { selfSigned, type TestCertificate } from '../../../../test/support/checks/certificate.ts';
import { onRequest, rawServer, started } from '../../../../test/support/checks/raw-server.ts';
import { patiently, runProbe } from '../../../../test/support/checks/run-probe.ts';
import type { TlsSettings } from '../check.ts';

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const httpsServer = ({ cert, key }: TestCertificate) =>
  started(createServer({ cert, key }), (socket) => onRequest(socket, () => socket.end(answer)), 'secureConnection');
const ask = ({ host, port }: { host: string; port: number }, tls: TlsSettings, hostHeader?: string) =>
  runProbe({ kind: 'http', host, port, tls, ...(hostHeader !== undefined && { hostHeader }) }, patiently);

let good: TestCertificate;
let other: TestCertificate;
beforeAll(async () => {
  [good, other] = [selfSigned(), selfSigned({ name: 'shop.example' })];
});

describe('a certificate', () => {
  it('of a known authority, for the right address, is accepted, and its end is told', async () => {
    await using server = await httpsServer(good);
    const finding = await ask(server, { ca: good.cert });
    expect(finding).toMatchObject({ outcome: 'healthy', statusCode: 200, certificateExpiresAt: good.notAfter });
    expect(finding.connectMs).toBeGreaterThan(0);
  });

  it('is verified for the name that the check asks for', async () => {
    await using server = await httpsServer(other);
    const ca = other.cert;
    expect(await ask(server, { ca, serverName: 'shop.example' })).toMatchObject({ outcome: 'healthy' });
    expect(await ask(server, { ca }, 'shop.example:8443')).toMatchObject({ outcome: 'healthy' });
    expect(await ask(server, { ca })).toMatchObject({ outcome: 'failing', errorKind: 'tls-name' });
    expect(await ask(server, { ca, serverName: 'bank.example' })).toMatchObject({ errorKind: 'tls-name' });
  });

  it('of an unknown authority is refused before anything is sent, and its end is still told', async () => {
    await using server = await httpsServer(good);
    for (const tls of [{}, { ca: other.cert }]) {
      expect(await ask(server, tls)).toMatchObject({
        outcome: 'failing',
        errorKind: 'tls-untrusted',
        certificateExpiresAt: good.notAfter,
      });
    }
    expect(server.received()).toBe('');
  });

  it.each([
    ['has expired', { from: -10, to: -1 }],
    ['is not yet valid', { from: 1, to: 10 }],
  ])('that %s is refused', async (_, days) => {
    const certificate = selfSigned(days);
    await using server = await httpsServer(certificate);
    expect(await ask(server, { ca: certificate.cert })).toMatchObject({
      outcome: 'failing',
      errorKind: 'tls-expired',
      certificateExpiresAt: certificate.notAfter,
    });
  });

  it('is not verified when the check says so, and its end is told', async () => {
    const expired = selfSigned({ from: -10, to: -1, name: 'shop.example' });
    await using server = await httpsServer(expired);
    expect(await ask(server, { skipVerify: true })).toMatchObject({
      outcome: 'healthy',
      certificateExpiresAt: expired.notAfter,
    });
  });
});

describe('a server that does not come to TLS', () => {
  it('speaks plain HTTP', async () => {
    await using server = await rawServer((socket) => socket.on('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')));
    expect(await ask(server, {})).toMatchObject({ outcome: 'failing', errorKind: 'tls-handshake' });
  });

  it('never answers', async () => {
    await using server = await rawServer(() => {});
    const finding = await runProbe({ kind: 'http', host: server.host, port: server.port, tls: {} });
    expect(finding).toMatchObject({ outcome: 'failing', errorKind: 'tls-timeout' });
  });

  it.each([
    ['closes', 'end', /closed|reset|tls-handshake/],
    ['resets', 'resetAndDestroy', /reset/],
  ] as const)('%s', async (_, how, kinds) => {
    await using server = await rawServer((socket) => socket.on('data', () => socket[how]()));
    const finding = await ask(server, {});
    expect(finding.outcome).toBe('failing');
    expect(finding.errorKind).toMatch(kinds);
  });

  it('answers a plain check', async () => {
    await using server = await httpsServer(good);
    const finding = await runProbe({ kind: 'http', host: server.host, port: server.port }, patiently);
    expect(finding.outcome).toBe('failing');
  });
});
