import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExecPlugin } from '../../config.ts';
import { createCredentials } from './credentials.ts';
import type { ExecCredential } from './exec-plugin.ts';

const server = 'https://127.0.0.1:6443';
let folder: string;
let now: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  now = Date.parse('2026-01-01T00:00:00Z');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('what is written in the configuration', () => {
  it('is known without waiting, and there is nothing to renew', () => {
    const credentials = createCredentials({ server, token: 'abc', ca: 'CA' });
    const identity = credentials.current();
    expect(identity).toEqual({ headers: { authorization: 'Bearer abc' }, tls: { ca: 'CA' } });
    expect(identity && credentials.refused(identity)).toBe(false);
  });

  it('says whom to act as', () => {
    const impersonate = { user: 'jane', uid: '7', groups: ['a', 'b'], extra: { 'Example.com/Scopes': ['x', 'y'] } };
    expect(createCredentials({ server, impersonate }).current()?.headers).toEqual({
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-example.com%2fscopes': ['x', 'y'],
    });
  });
});

describe('a token file', () => {
  const authorization = async (credentials: ReturnType<typeof createCredentials>) =>
    (credentials.current() ?? (await credentials.load())).headers.authorization;

  it('is read again after ten seconds, and at once when the server refuses what was in it', async () => {
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'one\n');
    const credentials = createCredentials({ server, tokenFile, token: 'ignored' }, { now: () => now });
    expect(await authorization(credentials)).toBe('Bearer one');
    await writeFile(tokenFile, 'two\n');
    expect(await authorization(credentials)).toBe('Bearer one');
    now += 10_000;
    expect(await authorization(credentials)).toBe('Bearer two');
    await writeFile(tokenFile, 'three\n');
    credentials.refused(await credentials.load());
    expect(await authorization(credentials)).toBe('Bearer three');
  });

  it('that vanishes for a moment harms nobody', async () => {
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'one');
    const credentials = createCredentials({ server, tokenFile }, { now: () => now });
    await credentials.load();
    await rm(tokenFile);
    now += 10_000;
    expect(await authorization(credentials)).toBe('Bearer one');
  });

  it('that was never there is named', async () => {
    const tokenFile = join(folder, 'nowhere');
    await expect(createCredentials({ server, tokenFile }).load()).rejects.toMatchObject({
      code: 'KUR_CLIENT_CREDENTIALS',
      message: expect.stringContaining(tokenFile),
    });
  });
});

it('files that did not change leave the identity the same, so that connections are kept', async () => {
  const caFile = join(folder, 'ca');
  await writeFile(caFile, 'CA');
  const credentials = createCredentials({ server, caFile }, { now: () => now });
  const first = await credentials.load();
  now += 60_000;
  expect(credentials.current()).toBeUndefined();
  expect(await credentials.load()).toBe(first);
  await writeFile(caFile, 'CA2');
  now += 60_000;
  expect((await credentials.load()).tls).toEqual({ ca: 'CA2' });
});

describe('a credential plugin', () => {
  const exec: ExecPlugin = { apiVersion: 'client.authentication.k8s.io/v1', command: 'plugin' };
  let runs: number;
  let give: ExecCredential;
  const plugin = () =>
    createCredentials(
      { server, exec },
      {
        now: () => now,
        runPlugin: async () => {
          runs += 1;
          return { token: `token-${runs}`, ...give };
        },
      },
    );
  beforeEach(() => {
    runs = 0;
    give = {};
  });

  it('runs once for all who ask at once', async () => {
    const credentials = plugin();
    const identities = await Promise.all([credentials.load(), credentials.load(), credentials.load()]);
    expect(new Set(identities).size).toBe(1);
    expect(runs).toBe(1);
  });

  it('runs again a little before what it gave expires', async () => {
    give = { expires: now + 600_000 };
    const credentials = plugin();
    await credentials.load();
    now += 539_000;
    expect(credentials.current()?.headers.authorization).toBe('Bearer token-1');
    now += 2_000;
    expect(credentials.current()).toBeUndefined();
    expect((await credentials.load()).headers.authorization).toBe('Bearer token-2');
  });

  it('runs again when the server refuses what it gave, but not all the time', async () => {
    const credentials = plugin();
    credentials.refused(await credentials.load());
    expect((await credentials.load()).headers.authorization).toBe('Bearer token-1');
    now += 10_000;
    credentials.refused(await credentials.load());
    expect((await credentials.load()).headers.authorization).toBe('Bearer token-2');
  });

  it('may give a client certificate', async () => {
    give = { cert: 'CERT', key: 'KEY' };
    expect((await plugin().load()).tls).toEqual({ cert: 'CERT', key: 'KEY' });
  });
});
