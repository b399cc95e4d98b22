// What can be wrong with the way to a real API server, and what one is told then.
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ClientConfig, ConfigMap, createClient, loadKubeconfig, Namespace } from '@kurator/client';
import { issueLeaf, readKeyPair } from '@kurator/pki';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { kubeconfig, type Place, place } from './api-server.ts';

let here: Place;
let folder: string;

beforeAll(async () => {
  here = await place();
  folder = await mkdtemp(join(tmpdir(), 'trouble-'));
});
afterAll(async () => {
  await here[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const errorOf = async (promise: Promise<unknown>) =>
  await promise.then(
    () => expect.unreachable(),
    (error) => error,
  );

const MINUTE = 60_000;

/** What the real server's own authority would have given an administrator whose time is over since half an hour. */
async function expiredCertificate(): Promise<Pick<ClientConfig, 'cert' | 'key'>> {
  const pki = join(dirname(kubeconfig), 'pki');
  const [pem = '', key = ''] = await Promise.all(['ca.crt', 'ca.key'].map((name) => readFile(join(pki, name), 'utf8')));
  const subject = { commonName: 'late', organizations: ['system:masters'], usages: ['client' as const] };
  const time = { now: Date.now() - 30 * MINUTE, lifetime: MINUTE };
  const pair = issueLeaf(readKeyPair(pem, key), { ...subject, ...time });
  return { cert: pair.pem, key: pair.exportKey() };
}

describe('a client certificate that has expired', () => {
  it('is named, with the day and what to do, where the server says only "Unauthorized"', async () => {
    const { server, ca = '' } = here.client.config;
    await using late = createClient({ server, ca, ...(await expiredCertificate()) });
    const error = await errorOf(late.list(ConfigMap, { namespace: here.namespace }));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_UNAUTHORIZED', status: 401 });
    expect(error.message).toMatch(
      /^list configmaps in .*: the client certificate expired on .* GMT: get a new kubeconfig/,
    );
    const watching = async () => {
      for await (const _ of late.watch(ConfigMap, { namespace: here.namespace }));
    };
    expect((await errorOf(watching())).message).toContain('the client certificate expired on');
  });
});

describe('a kubeconfig of a real cluster', () => {
  const damaged = async (damage: (text: string) => string) => {
    const path = join(folder, 'kubeconfig');
    await writeFile(path, damage(await readFile(kubeconfig, 'utf8')));
    return path;
  };

  it.each<[string, (text: string) => string, RegExp]>([
    ['that was cut off in the middle', (text) => text.slice(0, text.length / 2), /kubeconfig/],
    [
      'with a certificate that is not base64',
      (text) => text.replace(/(client-certificate-data: )\S+/, '$1cut…off'),
      /client-certificate-data/,
    ],
    ['whose context names no user that is there', (text) => text.replace(/(user: )\S+/, '$1nobody'), /nobody/],
  ])('%s is refused by name, before anything is sent', async (_, damage, message) => {
    const error = await errorOf(loadKubeconfig(await damaged(damage)));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_KUBECONFIG', message: expect.stringMatching(message) });
    expect(error.message).toContain(folder);
  });
});

it('a certificate that is none is named as what is wrong with the connection', async () => {
  await using client = createClient({ ...here.client.config, cert: 'no PEM' });
  expect(await errorOf(client.list(ConfigMap, { namespace: here.namespace }))).toMatchObject({
    code: 'KUR_CLIENT_TLS',
    message: expect.stringContaining('are certificate-authority, client-certificate and client-key PEM?'),
  });
});

describe('a server that is not there', () => {
  /** A port where `answer` happens to whoever connects. */
  async function port(answer: (socket: Socket) => void) {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      answer(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { config: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, sockets, server };
  }

  it('is asked five times, and then named', async () => {
    const { config, sockets } = await port((socket) => socket.destroy());
    await using client = createClient(config);
    const error = await errorOf(client.get(Namespace, { name: 'default' }));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_UNREACHABLE' });
    expect(error.message).toMatch(
      /^get Namespace default: no connection to http:\/\/127.0.0.1:\d+: .* \(tried 5 times\)$/,
    );
    expect(sockets).toHaveLength(5);
  });

  it('is asked once for what must not happen twice, unless it was surely not heard', async () => {
    const { config, sockets, server } = await port((socket) => socket.destroy());
    await using client = createClient(config);
    const creating = () => errorOf(client.create(Namespace, { metadata: { name: 'once' } }));
    expect(await creating()).toMatchObject({ code: 'KUR_CLIENT_UNREACHABLE' });
    expect(sockets).toHaveLength(1);
    server.close();
    await once(server, 'close');
    expect((await creating()).message).toMatch(/nothing listens there \(ECONNREFUSED\).* \(tried 5 times\)$/);
  });

  it('is waited for no longer than was said', async () => {
    const { config } = await port(() => {});
    await using client = createClient(config);
    const error = await errorOf(client.list(Namespace, { timeout: 300 }));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_TIMEOUT', message: expect.stringContaining('within 0.3 s') });
  });
});
