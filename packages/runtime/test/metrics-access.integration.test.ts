import {
  type Client,
  ClusterRole,
  ClusterRoleBinding,
  createClient,
  requestToken,
  ServiceAccount,
} from '@kurator/client';
import { eventually, ManualClock, sharedClient, testNamespace } from '@kurator/testenv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../src/insight/late-logger.ts';
import { text } from '../src/manager/internal/http-server.ts';
import { authorized } from '../src/manager/internal/metrics-access.ts';
import { recordingClient, summary } from './support/recording-client.ts';

async function setUp() {
  const admin = await sharedClient();
  onTestFinished(() => admin.close());
  const namespace = await testNamespace(admin, 'metrics');
  const { client, writes } = recordingClient(admin);
  return { admin, namespace, writes, ...askedOf(client) };
}

function askedOf(client: Client) {
  const clock = new ManualClock();
  const route = authorized(() => text(200, 'all is well'), { client, clock, logger: silentLogger });
  const ask = async (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    return (await route({ query: new URLSearchParams(), headers, local: false })).status;
  };
  return { clock, ask };
}

const madeUp = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `Bearer made-up-${from + i}`);

/** A token of an account that may read metrics until `revoke`. */
async function reader(admin: Client, namespace: string) {
  const account = { name: 'prometheus', namespace };
  const role = { name: `metrics-${namespace}` };
  await admin.create(ServiceAccount, { metadata: account });
  await admin.create(ClusterRole, { metadata: role, rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role.name };
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  await admin.create(ClusterRoleBinding, { metadata: role, roleRef, subjects });
  onTestFinished(() => admin.delete(ClusterRole, role).then(() => {}));
  const { token } = await requestToken(admin, account);
  return { token, revoke: () => admin.delete(ClusterRoleBinding, role) };
}

describe('who asks for metrics', () => {
  it('is asked about once a minute, and no longer let in a minute after the right was taken away', async () => {
    const { admin, namespace, writes, ask, clock } = await setUp();
    const { token, revoke } = await reader(admin, namespace);
    // The API server's authorizer hears of a new binding by a watch of its own.
    await eventually(async () => {
      await clock.advance(10_000);
      expect(await ask(`Bearer ${token}`)).toBe(200);
    });
    writes.length = 0;
    await revoke();
    await clock.advance(59_000);
    expect(await ask(`Bearer ${token}`)).toBe(200);
    expect(writes).toEqual([]);
    await eventually(async () => {
      await clock.advance(60_000);
      expect(await ask(`Bearer ${token}`)).toBe(403);
    });
    expect(summary(writes).slice(0, 2)).toEqual([
      'create TokenReview undefined',
      'create SubjectAccessReview undefined',
    ]);
  });

  it('is told so where it shows no token, and the API server is not asked', async () => {
    const { ask, writes } = await setUp();
    expect([await ask(), await ask('Basic YTpi'), await ask('Bearer')]).toEqual([401, 401, 401]);
    expect(writes).toEqual([]);
  });

  it('can make the API server be asked for no more than eight tokens at once, and once for each', async () => {
    const { ask, writes } = await setUp();
    const answers = await Promise.all(madeUp(20).map(ask));
    expect(answers.filter((status) => status === 401)).toHaveLength(8);
    expect(answers.filter((status) => status === 503)).toHaveLength(12);
    await Promise.all(Array.from({ length: 20 }, () => ask('Bearer made-up-0')));
    expect(writes).toHaveLength(8);
  });

  it('is remembered, with a bound, and those with made-up tokens push nobody out who may', async () => {
    const { admin, namespace, writes, ask, clock } = await setUp();
    const { token } = await reader(admin, namespace);
    const prometheus = `Bearer ${token}`;
    await eventually(async () => {
      await clock.advance(10_000);
      expect(await ask(prometheus)).toBe(200);
    });
    for (let from = 0; from < 504; from += 8) await Promise.all(madeUp(8, from).map(ask));
    writes.length = 0;
    expect([await ask(prometheus), await ask('Bearer made-up-503')]).toEqual([200, 401]);
    expect(writes).toEqual([]);
    await ask('Bearer made-up-0');
    expect(summary(writes)).toEqual(['create TokenReview undefined']);

    await clock.advance(60_000);
    const strangers = madeUp(9).map(ask);
    expect(await ask(prometheus)).toBe(200);
    expect(await Promise.all(strangers)).toEqual([...Array(8).fill(401), 503]);
  });

  it('is not let in while the API server can’t be asked', async () => {
    const admin = await sharedClient();
    const nobody = createClient({ ...admin.config, server: 'https://127.0.0.1:1' });
    onTestFinished(async () => {
      await nobody.close();
      await admin.close();
    });
    expect(await askedOf(nobody).ask('Bearer any')).toBe(503);
  });
});
