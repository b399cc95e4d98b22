/**
 * An operator whose service account token is replaced while it runs, as the kubelet does it: the file is rewritten, and
 * the old token stops working. Tokens are bound to Secrets here, because deleting the Secret revokes the token.
 */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  ConfigMap,
  createClient,
  Role,
  RoleBinding,
  requestToken,
  Secret,
  ServiceAccount,
  waitFor,
} from '@kurator/client';
import { eventually } from '@kurator/testenv';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Echo } from './support/echo.ts';
import { isReady } from './support/echo-operator.ts';
import { echoPlace } from './support/echo-place.ts';
import { type EchoProgram, startEchoProgram } from './support/echo-program.ts';

let admin: Client;
let namespace: string;
let folder: string;
let operator: EchoProgram;
let first: string;

beforeEach(async () => {
  ({ client: admin, namespace } = await echoPlace('tokens'));
  folder = await mkdtemp(join(tmpdir(), 'tokens-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await createAccount();
  first = await newToken('first');
  await hand(first);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigWithTokenFile());
  const end = new AbortController();
  operator = startEchoProgram({ namespace, folder }, end.signal, kubeconfig);
  onTestFinished(async () => {
    end.abort();
    await operator.ended;
  });
  await admin.create(Echo, { metadata: { name: 'a', namespace }, spec: { message: 'hello' } });
  await untilReady();
});

async function createAccount(): Promise<void> {
  const metadata = { name: 'echo', namespace };
  const apiGroup = 'rbac.authorization.k8s.io';
  const rules = [
    { apiGroups: ['test.kurator.dev'], resources: ['echoes', 'echoes/status'], verbs: ['*'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
  ];
  await admin.create(ServiceAccount, { metadata });
  await admin.create(Role, { metadata, rules });
  await admin.create(RoleBinding, {
    metadata,
    roleRef: { apiGroup, kind: 'Role', name: 'echo' },
    subjects: [{ kind: 'ServiceAccount', name: 'echo', namespace }],
  });
}

/** A token that works until the Secret of this name is deleted. */
async function newToken(secret: string): Promise<string> {
  const { metadata } = await admin.create(Secret, { metadata: { name: secret, namespace } });
  const boundObject = { apiVersion: 'v1', kind: 'Secret', name: secret, uid: metadata.uid ?? '' } as const;
  return (await requestToken(admin, { name: 'echo', namespace }, { boundObject })).token;
}

async function revoke(secret: string, token: string): Promise<void> {
  await admin.delete(Secret, { name: secret, namespace });
  // The server remembers for some seconds whom it has let in.
  const { server, ca = '' } = admin.config;
  await using former = createClient({ server, ca, token });
  await eventually(
    async () => {
      await expect(former.list(ConfigMap, { namespace })).rejects.toMatchObject({ code: 'KUR_CLIENT_UNAUTHORIZED' });
    },
    { timeout: 40_000 },
  );
}

const tokenFile = () => join(folder, 'token');

async function hand(token: string): Promise<void> {
  await writeFile(`${tokenFile()}.new`, token);
  await rename(`${tokenFile()}.new`, tokenFile());
}

function kubeconfigWithTokenFile(): string {
  const { server, ca = '' } = admin.config;
  const authority = Buffer.from(ca).toString('base64');
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { tokenFile: tokenFile() } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

const say = (message: string) => admin.patch(Echo, { name: 'a', namespace }, { spec: { message } });
const untilReady = () => waitFor(admin, Echo, { name: 'a', namespace }, isReady);
const said = async () => (await admin.get(ConfigMap, { name: 'a', namespace })).data?.message;

async function failures(): Promise<number> {
  const { text } = await operator.ask('/metrics');
  const counted = /controller_runtime_reconcile_errors_total\{[^}]*\} (\d+)/.exec(text)?.[1];
  return Number(counted ?? 0);
}

it('fails in nothing when the file is rewritten before the old token is revoked', { timeout: 120_000 }, async () => {
  await hand(await newToken('second'));
  let isRevoked = false;
  const revoking = revoke('first', first).finally(() => {
    isRevoked = true;
  });
  for (let i = 0; !isRevoked; i++) {
    await say(`message ${i}`);
    await untilReady();
  }
  await revoking;
  await say('with the second token');
  await untilReady();
  expect(await said()).toBe('with the second token');
  expect(await failures()).toBe(0);
  expect(operator.child.exitCode).toBeNull();
});

it('says that it is not known, and tries until the file is rewritten', { timeout: 120_000 }, async () => {
  await revoke('first', first);
  await say('unheard');
  await eventually(async () => expect(await failures()).toBeGreaterThan(0));
  const { status, text } = await operator.ask('/readyz');
  expect(status).toBe(503);
  expect(JSON.parse(text).checks).toContainEqual({
    name: 'api-server',
    ok: false,
    reason: expect.stringContaining('Unauthorized'),
  });
  expect((await operator.ask('/healthz')).status).toBe(200);

  await hand(await newToken('second'));
  await untilReady();
  expect(await said()).toBe('unheard');
  await eventually(async () => expect((await operator.ask('/readyz')).status).toBe(200));
  expect(operator.child.exitCode).toBeNull();
});
