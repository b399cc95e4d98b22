import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { createSelfSigned } from '@kurator/pki';
import { expect, it, onTestFinished } from 'vitest';
import { startDeadline } from '../deadline.ts';
import { createHttp2Engine } from './engine.ts';

const names = ['127.0.0.1'];
const pair = createSelfSigned({ commonName: 'test', names, usages: ['server'], now: Date.now(), lifetime: 3_600_000 });

/** Answers with what the path asks for, and then, for `/endless`, never ends. */
async function serving(longestAnswer: number) {
  const closed = Promise.withResolvers<void>();
  const server = createSecureServer({ cert: pair.pem, key: pair.exportKey() }, ({ url, stream }, response) => {
    stream.on('error', () => {}).on('close', () => closed.resolve());
    if (url === '/endless') response.write('more than ten');
    else response.end(url.slice(1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const engine = createHttp2Engine(
    `https://127.0.0.1:${port}`,
    async () => {
      const socket = connect({ port, host: '127.0.0.1', ca: pair.pem, ALPNProtocols: ['h2'] });
      await once(socket, 'secureConnect');
      return socket;
    },
    longestAnswer,
  );
  const deadline = startDeadline(5_000, undefined);
  onTestFinished(() => {
    deadline.end();
    engine.destroy();
    server.close();
  });
  return {
    closed: closed.promise,
    get: (path: string) => engine.exchange({ method: 'GET', path, headers: {} }, deadline),
  };
}

it('gives an answer that is as long as it may be, whole', async () => {
  const { get } = await serving(10);
  expect((await get('/0123456789')).text).toBe('0123456789');
});

it('fails where an answer proves too long, and lets go of the stream', async () => {
  const { get, closed } = await serving(10);
  await expect(get('/endless')).rejects.toMatchObject({ code: 'ANSWER_TOO_LONG' });
  await closed;
});
