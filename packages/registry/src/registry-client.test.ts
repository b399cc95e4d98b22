import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Asked, type Scripted, scriptedServer } from '../test/support/scripted-server.ts';
import { blobOfBytes, sha256 } from './blob.ts';
import { createRegistryClient, type RegistryClientOptions } from './registry-client.ts';

afterEach(() => void vi.useRealTimers());

function clientWith(options: RegistryClientOptions = {}) {
  const client = createRegistryClient({ timeout: 5_000, ...options });
  onTestFinished(() => client.close());
  return client;
}

const found: Scripted = { headers: { 'docker-content-digest': sha256('x') } };
const me = { username: 'me', password: 'pa:ss' };
const basic = `Basic ${Buffer.from('me:pa:ss').toString('base64')}`;

/** A registry that wants tokens, and where they are had. */
async function guarded(
  token: (asked: Asked) => Scripted = () => ({ body: '{"token":"t1","expires_in":300}' }),
  accepts = /^Bearer t/,
) {
  const realm = await scriptedServer(token);
  const registry = await scriptedServer(({ headers, path }) => {
    if (accepts.test(headers.authorization ?? '')) return found;
    const scope = `repository:${path.split('/').slice(2, 4).join('/')}:pull`;
    return {
      status: 401,
      headers: { 'www-authenticate': `Bearer realm="${realm.url}/token",service="the registry",scope="${scope}"` },
    };
  });
  return { realm, registry };
}

describe('a registry that wants tokens', () => {
  it('gets one for nobody in particular, and the same one again', async () => {
    const { realm, registry } = await guarded();
    const web = clientWith().repository(`${registry.host}/demo/web`);
    expect(await web.digest('v1')).toBe(sha256('x'));
    expect(await web.digest('v2')).toBe(sha256('x'));
    expect(registry.asked).toHaveLength(3);
    expect(realm.lines()).toEqual(['GET /token?service=the+registry&scope=repository%3Ademo%2Fweb%3Apull']);
    expect(realm.asked[0]?.headers.authorization).toBeUndefined();
  });

  it('gets one a repository', async () => {
    const { realm, registry } = await guarded();
    const client = clientWith();
    for (const name of ['demo/web', 'demo/db', 'demo/web'])
      await client.repository(`${registry.host}/${name}`).digest('v1');
    expect(realm.asked).toHaveLength(2);
  });

  it('is asked for one token, however many ask at once', async () => {
    const { realm, registry } = await guarded();
    const web = clientWith().repository(`${registry.host}/demo/web`);
    await Promise.all(Array.from({ length: 50 }, (_, at) => web.digest(`v${at}`)));
    expect(realm.asked).toHaveLength(1);
  });

  it('is told a password at the log-in, and nowhere else', async () => {
    const { realm, registry } = await guarded();
    await clientWith({ credentials: me }).repository(`${registry.host}/demo/web`).digest('v1');
    expect(realm.asked.map(({ headers }) => headers.authorization)).toEqual([basic]);
    expect(registry.asked.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer t1']);
  });

  it('is told an identity token in a form', async () => {
    const { realm, registry } = await guarded(() => ({ body: '{"access_token":"t2"}' }));
    await clientWith({ credentials: { identityToken: 'mine' } })
      .repository(`${registry.host}/demo/web`)
      .digest('v1');
    const [{ method, body } = { method: '', body: '' }] = realm.asked;
    expect([method, Object.fromEntries(new URLSearchParams(body))]).toEqual([
      'POST',
      {
        grant_type: 'refresh_token',
        refresh_token: 'mine',
        client_id: 'kurator',
        service: 'the registry',
        scope: 'repository:demo/web:pull',
      },
    ]);
  });

  it('gets a new one when the old one has ended, without asking in vain', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { realm, registry } = await guarded();
    const web = clientWith().repository(`${registry.host}/demo/web`);
    await web.digest('v1');
    vi.setSystemTime(Date.now() + 301_000);
    await web.digest('v1');
    expect(realm.asked).toHaveLength(2);
    expect(registry.asked.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer t1', 'Bearer t1']);
  });

  it('gets a new one, once, when it does not take the old one any more', async () => {
    let made = 0;
    let accepted = /^Bearer t1$/;
    const realm = await scriptedServer(() => ({ body: `{"token":"t${++made}"}` }));
    const registry = await scriptedServer(({ headers }) =>
      accepted.test(headers.authorization ?? '')
        ? found
        : { status: 401, headers: { 'www-authenticate': `Bearer realm="${realm.url}/token"` } },
    );
    const web = clientWith({ credentials: me }).repository(`${registry.host}/demo/web`);
    await web.digest('v1');
    accepted = /^Bearer t2$/;
    await web.digest('v1');
    accepted = /^Bearer never$/;
    await expect(web.digest('v1')).rejects.toMatchObject({
      code: 'KUR_REGISTRY_DENIED',
      status: 401,
      registry: registry.host,
      repository: 'demo/web',
      remedy: expect.stringContaining('may not do this'),
    });
    expect(made).toBe(3);
  });

  it.each<[string, Scripted, string]>([
    ['refuses', { status: 401, body: 'wrong: pa:ss' }, 'KUR_REGISTRY_DENIED'],
    ['gives no JSON', { body: 'pa:ss' }, 'KUR_REGISTRY_BAD_CONTENT'],
    ['gives no token', { body: '{}' }, 'KUR_REGISTRY_BAD_CONTENT'],
    ['gives a token with a line end', { body: '{"token":"pa:ss\\r\\nx: y"}' }, 'KUR_REGISTRY_BAD_CONTENT'],
    ['has a fault', { status: 500 }, 'KUR_REGISTRY_SERVER'],
  ])('says what is wrong where the log-in %s', async (_, answer, code) => {
    const { registry } = await guarded(() => answer);
    const error = await clientWith({ credentials: me })
      .repository(`${registry.host}/demo/web`)
      .digest('v1')
      .catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code, registry: registry.host, repository: 'demo/web', remedy: expect.any(String) });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('pa:ss');
  });

  it('shares no token with somebody else', async () => {
    const { realm, registry } = await guarded();
    const client = clientWith({ credentials: me });
    await client.repository(`${registry.host}/demo/web`).digest('v1');
    await client.as(undefined).repository(`${registry.host}/demo/web`).digest('v1');
    expect(realm.asked.map(({ headers }) => headers.authorization)).toEqual([basic, undefined]);
  });

  it('does not keep who leaves waiting for the log-in', async () => {
    const asked = Promise.withResolvers<void>();
    const { registry } = await guarded(() => () => asked.resolve());
    const leaving = new AbortController();
    const digest = clientWith().repository(`${registry.host}/demo/web`).digest('v1', { signal: leaving.signal });
    await asked.promise;
    leaving.abort(new Error('I leave'));
    await expect(digest).rejects.toThrow('I leave');
  });
});

describe('a registry that wants a password', () => {
  const wanting = async () =>
    await scriptedServer(({ headers }) =>
      headers.authorization === basic
        ? found
        : {
            status: 401,
            headers: { 'www-authenticate': 'Basic realm="r"' },
            body: `you sent ${headers.authorization}`,
          },
    );

  it('gets it', async () => {
    const registry = await wanting();
    expect(await clientWith({ credentials: me }).repository(`${registry.host}/a`).digest('v1')).toBe(sha256('x'));
  });

  it('is an error where there is none, or a wrong one, which is not quoted', async () => {
    const registry = await wanting();
    const denied = { code: 'KUR_REGISTRY_DENIED', registry: registry.host, repository: 'a' };
    await expect(clientWith().repository(`${registry.host}/a`).manifest('v1')).rejects.toMatchObject({
      ...denied,
      remedy: expect.stringContaining(`Log in to ${registry.host}`),
    });
    const wrong = clientWith({ credentials: { username: 'me', password: 'no' } }).repository(`${registry.host}/a`);
    const error = await wrong.manifest('v1').catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject(denied);
    expect(String(error)).not.toContain(Buffer.from('me:no').toString('base64'));
  });
});

describe('a registry that has had enough', () => {
  it('is left alone until it says, by everybody, and then asked again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let answer: Scripted = { status: 429, headers: { 'retry-after': '120' } };
    const registry = await scriptedServer(() => answer);
    const client = clientWith();
    const now = Date.now();
    const limited = {
      code: 'KUR_REGISTRY_RATE_LIMITED',
      retryAt: new Date(now + 120_000),
      registry: registry.host,
      remedy: expect.stringContaining(new Date(now + 120_000).toISOString()),
    };
    await expect(client.repository(`${registry.host}/a`).digest('v1')).rejects.toMatchObject({
      ...limited,
      status: 429,
    });
    answer = found;
    await expect(client.repository(`${registry.host}/b`).digest('v1')).rejects.toMatchObject(limited);
    await expect(client.as(me).repository(`${registry.host}/b`).digest('v1')).rejects.toMatchObject(limited);
    expect(registry.asked).toHaveLength(1);
    expect(client.budget(registry.host).restsUntil).toEqual(limited.retryAt);
    vi.setSystemTime(now + 120_001);
    expect(await client.repository(`${registry.host}/b`).digest('v1')).toBe(sha256('x'));
  });

  it('is waited for where that is short', async () => {
    let refused = false;
    const registry = await scriptedServer(() => {
      if (refused) return found;
      refused = true;
      return { status: 429, headers: { 'retry-after': '1' } };
    });
    expect(await clientWith().repository(`${registry.host}/a`).digest('v1')).toBe(sha256('x'));
    expect(registry.asked).toHaveLength(2);
  });

  it('is waited for also where it is the log-in that has had enough', async () => {
    let refused = false;
    const { realm, registry } = await guarded(() => {
      if (refused) return { body: '{"token":"t1"}' };
      refused = true;
      return { status: 429, headers: { 'retry-after': '1' } };
    });
    expect(await clientWith().repository(`${registry.host}/demo/web`).digest('v1')).toBe(sha256('x'));
    expect(realm.asked).toHaveLength(2);
  });

  it('is waited for also where it is the place that it leads to, which nobody asks meanwhile', async () => {
    let refused = false;
    const elsewhere = await scriptedServer(() => {
      if (refused) return found;
      refused = true;
      return { status: 429, headers: { 'retry-after': '1' } };
    });
    const registry = await scriptedServer(({ path }) => ({ status: 307, headers: { location: elsewhere.url + path } }));
    const web = clientWith().repository(`${registry.host}/a`);
    await Promise.all(['v1', 'v2'].map(async (tag) => expect(await web.digest(tag)).toBe(sha256('x'))));
    expect(elsewhere.asked.length).toBeLessThanOrEqual(4);
    const impatient = clientWith({ patience: 0 }).repository(`${registry.host}/a`);
    refused = false;
    await expect(impatient.digest('v1')).rejects.toMatchObject({ code: 'KUR_REGISTRY_RATE_LIMITED', status: 429 });
    const asked = elsewhere.asked.length;
    await expect(impatient.digest('v1')).rejects.toMatchObject({ code: 'KUR_REGISTRY_RATE_LIMITED' });
    expect(elsewhere.asked).toHaveLength(asked);
  });

  it.each<[string, Record<string, string>, number]>([
    ['a date', { 'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT' }, Date.parse('2027-01-01')],
    ['a reset', { 'ratelimit-reset': '300' }, Date.parse('2026-12-31T12:05:00Z')],
    ['a time since 1970', { 'x-ratelimit-reset': '1798761600' }, 1_798_761_600_000],
    ['nothing', {}, Date.parse('2026-12-31T12:00:01Z')],
    ['nonsense', { 'retry-after': 'soon' }, Date.parse('2026-12-31T12:00:01Z')],
    ['a year', { 'retry-after': '31536000' }, Date.parse('2027-01-01T12:00:00Z')],
  ])('says when by %s', async (_, headers, expected) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-12-31T12:00:00Z') });
    const registry = await scriptedServer(() => ({ status: 429, headers }));
    const client = clientWith({ patience: 0 });
    await expect(client.repository(`${registry.host}/a`).digest('v1')).rejects.toMatchObject({
      retryAt: new Date(expected),
    });
  });

  it('says how much is left, as Docker Hub does', async () => {
    const headers = { ...found.headers, 'ratelimit-limit': '100;w=21600', 'ratelimit-remaining': '76;w=21600' };
    const registry = await scriptedServer(() => ({ headers }));
    const client = clientWith();
    await client.repository(`${registry.host}/a`).digest('v1');
    expect(client.budget(registry.host)).toEqual({ limit: 100, remaining: 76, window: 21600, restsUntil: undefined });
  });

  it('does not keep others from theirs', async () => {
    const registry = await scriptedServer(() => ({ status: 429, headers: { 'retry-after': '600' } }));
    const other = await scriptedServer(() => found);
    const client = clientWith();
    await expect(client.repository(`${registry.host}/a`).digest('v1')).rejects.toMatchObject({ status: 429 });
    expect(await client.repository(`${other.host}/a`).digest('v1')).toBe(sha256('x'));
  });
});

describe('trouble', () => {
  /** It tries as often as others, and pauses for less. */
  const hasty = { patience: 10 };

  it('that passes is waited out', async () => {
    const answers: Scripted[] = [(response) => void response.destroy(), { status: 503 }, { status: 500 }, found];
    const registry = await scriptedServer(() => answers.shift() ?? found);
    expect(await clientWith().repository(`${registry.host}/a`).digest('v1')).toBe(sha256('x'));
    expect(registry.asked).toHaveLength(4);
    answers.push({ status: 408 });
    expect(await clientWith().repository(`${registry.host}/a`).digest('v1')).toBe(sha256('x'));
    expect(registry.asked).toHaveLength(6);
  });

  it('that a write has met is not tried again unless it is known to pass', async () => {
    const registry = await scriptedServer(() => ({ status: 500 }));
    const web = clientWith().repository(`${registry.host}/a`);
    const pushing = web.pushManifest('v1', 'application/json', blobOfBytes(Buffer.from('{}')));
    await expect(pushing).rejects.toMatchObject({ code: 'KUR_REGISTRY_SERVER' });
    expect(registry.asked).toHaveLength(1);
  });

  it.each<[string, Scripted, object]>([
    [
      'a fault',
      { status: 500, body: '{"errors":[{"code":"UNKNOWN","message":"disk\\u001b[31m full"}]}' },
      { code: 'KUR_REGISTRY_SERVER', message: expect.stringMatching(/UNKNOWN disk \[31m full/) },
    ],
    ['something else', { status: 418, body: 'x'.repeat(100_000) }, { code: 'KUR_REGISTRY_REFUSED', status: 418 }],
    ['an answer that came too late', { status: 408 }, { code: 'KUR_REGISTRY_TIMEOUT', status: 408 }],
    ['nothing there', { status: 404 }, { code: 'KUR_REGISTRY_NOT_FOUND' }],
    ['a forbidden thing', { status: 403 }, { code: 'KUR_REGISTRY_DENIED' }],
  ])('is told with its place and remedy: %s', async (_, answer, expected) => {
    const registry = await scriptedServer(() => answer);
    const error = await clientWith(hasty)
      .repository(`${registry.host}/demo/web`)
      .manifest('v1')
      .catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({
      registry: registry.host,
      repository: 'demo/web',
      remedy: expect.any(String),
      ...expected,
    });
    expect(String(error)).toContain(registry.host);
    expect(String(error)).toContain('GET manifests/v1 of demo/web');
    expect(String(error).length).toBeLessThan(600);
  });

  it('is tried again four times at most, with pauses no longer than its patience', async () => {
    const registry = await scriptedServer(() => ({ status: 500 }));
    const began = performance.now();
    const asking = clientWith(hasty).repository(`${registry.host}/a`).digest('v1');
    await expect(asking).rejects.toMatchObject({ code: 'KUR_REGISTRY_SERVER' });
    expect(registry.asked).toHaveLength(4);
    expect(performance.now() - began).toBeLessThan(4000);
  });

  it('is told of one who does not answer in time', async () => {
    const registry = await scriptedServer(() => () => {});
    const web = clientWith({ ...hasty, timeout: 100 }).repository(`${registry.host}/a`);
    await expect(web.digest('v1')).rejects.toMatchObject({ code: 'KUR_REGISTRY_TIMEOUT', registry: registry.host });
  });

  it('is told of one whom nobody finds', async () => {
    await expect(clientWith().repository('127.0.0.1:1/a').digest('v1')).rejects.toMatchObject({
      code: 'KUR_REGISTRY_UNREACHABLE',
      message: expect.stringContaining(
        "The registry 127.0.0.1:1 can't be reached for HEAD manifests/v1 of 127.0.0.1:1/a",
      ),
    });
  });

  it('ends when the caller says so, with his reason', async () => {
    const asked = Promise.withResolvers<void>();
    const registry = await scriptedServer(() => () => asked.resolve());
    const leaving = new AbortController();
    const digest = clientWith().repository(`${registry.host}/a`).digest('v1', { signal: leaving.signal });
    await asked.promise;
    leaving.abort(new Error('I leave'));
    await expect(digest).rejects.toThrow('I leave');
    await expect(
      clientWith().repository(`${registry.host}/a`).digest('v1', { signal: leaving.signal }),
    ).rejects.toThrow('I leave');
  });
});

it('a proxy stands between, but not before those that it is not for', async () => {
  const registry = await scriptedServer(() => found);
  const proxy = await scriptedServer(() => found);
  const far = 'registry.invalid:5000';
  const client = clientWith({
    proxy: { http: proxy.url, except: '127.0.0.1' },
    registries: { [far]: { url: `http://${far}` } },
  });
  expect(await client.repository(`${far}/a`).digest('v1')).toBe(sha256('x'));
  expect(await client.repository(`${registry.host}/a`).digest('v1')).toBe(sha256('x'));
  expect(proxy.lines()).toEqual([`HEAD http://${far}/v2/a/manifests/v1`]);
  expect(registry.lines()).toEqual(['HEAD /v2/a/manifests/v1']);
});

describe('a proxy', () => {
  it('does not stand before addresses in a range that it is not for', async () => {
    const proxy = await scriptedServer(() => found);
    const far = '192.0.2.3:5000';
    const client = clientWith({
      proxy: { http: proxy.url, except: '192.0.2.0/24' },
      registries: { [far]: { url: `http://${far}` } },
    });
    const asked = client.repository(`${far}/a`).digest('v1', { signal: AbortSignal.timeout(300) });
    await expect(asked).rejects.toThrow();
    expect(proxy.asked).toEqual([]);
  });

  it.each(['127.0.0.1', 'localhost'])('does not stand before %s, also if nobody says so', async (name) => {
    const registry = await scriptedServer(() => found);
    const proxy = await scriptedServer(() => found);
    const here = registry.host.replace('127.0.0.1', name);
    const client = clientWith({ proxy: { http: proxy.url, https: proxy.url } });
    expect(await client.repository(`${here}/a`).digest('v1')).toBe(sha256('x'));
    expect([proxy.asked.length, registry.asked.length]).toEqual([0, 1]);
  });

  it.each([
    ['plain HTTP', 'http', 'https'],
    ['HTTPS', 'https', 'http'],
  ] as const)('for %s is no proxy for the other, nor does the environment name one', async (_, scheme, other) => {
    const proxy = await scriptedServer(() => found);
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']) vi.stubEnv(name, proxy.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const far = 'registry.invalid:5000';
    const client = clientWith({
      proxy: { [other]: proxy.url },
      registries: { [far]: { url: `${scheme}://${far}` } },
    });
    await expect(client.repository(`${far}/a`).digest('v1')).rejects.toMatchObject({
      code: 'KUR_REGISTRY_UNREACHABLE',
    });
    expect(proxy.asked).toEqual([]);
  });
});
