// Who we are to a real API server, and by which way: files that change, plugins, impersonation, proxies.
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  type ClientConfig,
  ConfigMap,
  createClient,
  type ExecPlugin,
  kubeconfigFromYaml,
  resourceType,
  ServiceAccount,
  type UntypedObject,
} from '@kurator/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Place, place } from './api-server.ts';

const SelfSubjectReview = resourceType<UntypedObject>('authentication.k8s.io/v1', 'SelfSubjectReview', {
  namespaced: false,
});

let here: Place;
let folder: string;
let address: ClientConfig;

beforeAll(async () => {
  here = await place();
  folder = await mkdtemp(join(tmpdir(), 'identity-'));
  const { server, ca = '' } = here.client.config;
  address = { server, ca };
});
afterAll(async () => {
  await here[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function whoAmI(client: Client): Promise<{ username: string; groups: string[]; extra?: object }> {
  return (await client.create(SelfSubjectReview, { metadata: {} })).status.userInfo;
}

async function tokenOf(name: string): Promise<string> {
  const { client, namespace } = here;
  await client.create(ServiceAccount, { metadata: { name, namespace } });
  const request = {
    metadata: { name, namespace },
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  };
  const answer = await client.create<UntypedObject>(ServiceAccount as never, request, { subresource: 'token' });
  return answer.status.token;
}

async function replaceFile(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
  return path;
}

it('follows a token file that is replaced, as soon as the server refuses the old one', async () => {
  const tokenFile = await replaceFile('token', 'this is no token');
  await using client = createClient({ ...address, tokenFile });
  await expect(whoAmI(client)).rejects.toMatchObject({ code: 'KUR_CLIENT_UNAUTHORIZED' });
  await replaceFile('token', await tokenOf('robot'));
  expect(await whoAmI(client)).toMatchObject({ username: `system:serviceaccount:${here.namespace}:robot` });
});

it('follows client certificate files that are replaced', async () => {
  const { cert = '', key = '' } = here.client.config;
  const certFile = await replaceFile('tls.crt', 'not yet');
  const keyFile = await replaceFile('tls.key', 'not yet');
  await using client = createClient({ ...address, certFile, keyFile });
  await expect(whoAmI(client)).rejects.toMatchObject({ code: 'KUR_CLIENT_TLS' });
  await replaceFile('tls.crt', cert);
  await replaceFile('tls.key', key);
  await expect
    .poll(async () => await whoAmI(client).catch((error: unknown) => error), { timeout: 15_000, interval: 500 })
    .toMatchObject({ groups: expect.arrayContaining(['system:masters']) });
}, 20_000);

describe('a credential plugin', () => {
  const exec = (status: object): ExecPlugin => ({
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: [
      '-e',
      `console.log(${JSON.stringify(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }))})`,
    ],
  });

  it('gives a token', async () => {
    await using client = createClient({ ...address, exec: exec({ token: await tokenOf('by-plugin') }) });
    expect(await whoAmI(client)).toMatchObject({ username: expect.stringContaining('by-plugin') });
  });

  it('gives a client certificate, from a kubeconfig', async () => {
    const { cert, key, ca = '' } = here.client.config;
    const { env, ...rest } = exec({ clientCertificateData: cert, clientKeyData: key });
    const text = stringify({
      clusters: [
        {
          name: 'c',
          cluster: { server: address.server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
        },
      ],
      users: [{ name: 'u', user: { exec: rest } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    });
    await using client = createClient(await kubeconfigFromYaml(text));
    expect(await whoAmI(client)).toMatchObject({ groups: expect.arrayContaining(['system:masters']) });
  });

  it('that fails makes the request fail, and the deadline holds while it hangs', async () => {
    const failing = { ...exec({}), args: ['-e', 'process.exit(7)'] };
    await using broken = createClient({ ...address, exec: failing });
    await expect(broken.list(ConfigMap)).rejects.toMatchObject({
      code: 'KUR_CLIENT_CREDENTIALS',
      message: expect.stringMatching(/^list configmaps: the credential plugin .* exit code 7/),
    });
    const hanging = { ...exec({}), args: ['-e', 'setTimeout(() => {}, 3000)'], timeout: 3_000 };
    await using slow = createClient({ ...address, exec: hanging });
    await expect(slow.list(ConfigMap, { timeout: 200 })).rejects.toMatchObject({ code: 'KUR_CLIENT_TIMEOUT' });
  });
});

it('acts as someone else', async () => {
  const impersonate = { user: 'jane', groups: ['readers'], extra: { 'example.com/scopes': ['x'] } };
  await using client = createClient({ ...here.client.config, impersonate });
  expect(await whoAmI(client)).toMatchObject({
    username: 'jane',
    groups: expect.arrayContaining(['readers']),
    extra: { 'example.com/scopes': ['x'] },
  });
});

it('goes through a proxy, also with watches', async () => {
  const through: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer().on('connect', (request, client: Socket) => {
    through.push(request.url);
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), hostname);
    for (const socket of [client, target]) sockets.add(socket.on('error', () => {}));
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    client.pipe(target).pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  await using client = createClient({ ...here.client.config, proxyUrl: `http://127.0.0.1:${port}` });
  const { namespace } = here;
  await client.create(ConfigMap, { metadata: { name: 'by-proxy', namespace } });
  for await (const event of client.watch(ConfigMap, { namespace, fieldSelector: 'metadata.name=by-proxy' })) {
    expect(event.type).toBe('ADDED');
    break;
  }
  expect(through.length).toBeGreaterThanOrEqual(2);
  expect(new Set(through)).toEqual(new Set([new URL(address.server).host]));
  for (const socket of sockets) socket.destroy();
  proxy.close();
});
