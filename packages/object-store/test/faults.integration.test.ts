// A bucket of a real server, seen through a network that cuts, delays, loses and changes things.
import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkStore, createS3Store, type ObjectStore, type S3Options } from '../src/index.ts';
import { type Fault, FaultProxy, type Seen } from './support/fault-proxy.ts';
import { credentials, S3Server } from './support/s3-server.ts';

const MiB = 2 ** 20;
const partSize = 5 * MiB;
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const text = (value: string) => Buffer.from(value);

let server: S3Server;
let bucket: string;
let proxy: FaultProxy;
/** Through the proxy. */
let store: ObjectStore;
/** Past the proxy. */
let direct: ObjectStore;
const opened: ObjectStore[] = [];

function through(options: Partial<S3Options> = {}): ObjectStore {
  const made = createS3Store({ endpoint: proxy.url, bucket, credentials, idleTimeout: 10_000, ...options });
  opened.push(made);
  return made;
}

beforeAll(async () => {
  server = await S3Server.start();
  bucket = await server.createBucket(randomUUID());
  proxy = await FaultProxy.start(server.url);
  store = through();
  direct = through({ endpoint: server.url });
});
afterEach(() => {
  proxy.fault = () => undefined;
  proxy.seen.length = 0;
});
afterAll(async () => {
  for (const made of opened) await made[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const isPut = ({ method }: Seen) => method === 'PUT';
const isGet = ({ method }: Seen) => method === 'GET';
const isComplete = ({ method, url }: Seen) => method === 'POST' && url.includes('uploadId=');
const read = async (key: string, from = direct) => await (await from.get(key)).bytes();

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

const slowDown = '<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>';
const passing: [string, Fault][] = [
  ['cut connections', { kind: 'cut' }],
  ['lost answers', { kind: 'lose-answer' }],
  ['500', { kind: 'answer', status: 500 }],
  ['502 of a proxy', { kind: 'answer', status: 502, body: '<html>Bad gateway</html>' }],
  ['503 SlowDown', { kind: 'answer', status: 503, body: slowDown }],
  ['429', { kind: 'answer', status: 429 }],
];

describe('what passes is tried again', () => {
  it.each(passing)('%s: put, head, get, list, delete', async (_name, fault) => {
    const key = `${randomUUID()}/object`;
    proxy.inject(fault, isPut, 2);
    await store.put(key, text('hello'));
    proxy.inject(fault, () => true, 2);
    expect((await store.head(key)).size).toBe(5);
    proxy.inject(fault, () => true, 2);
    expect(String(await (await store.get(key)).bytes())).toBe('hello');
    proxy.inject(fault, () => true, 2);
    expect(await Array.fromAsync(store.list(key))).toHaveLength(1);
    proxy.inject(fault, () => true, 2);
    await store.deleteMany([key]);
    await expect(direct.head(key)).rejects.toMatchObject({ code: 'KUR_STORE_NOT_FOUND' });
    expect(proxy.seen).toHaveLength(3);
  });

  it('as late as the server asks', async () => {
    const key = `${randomUUID()}/object`;
    proxy.inject({ kind: 'answer', status: 503, headers: { 'retry-after': '2' } });
    await store.put(key, text('x'));
    const [first, second] = proxy.seen;
    // The wait is the server's, and so is the lower bound.
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  it('as often as was said, and then says so', async () => {
    const key = `${randomUUID()}/object`;
    const few = through({ retries: 2 });
    proxy.inject({ kind: 'answer', status: 503, body: slowDown }, () => true, 99);
    const error = await few.put(key, text('x')).catch((caught) => caught);
    expect(error).toMatchObject({ code: 'KUR_STORE_SERVER', key, status: 503, reason: 'SlowDown' });
    expect(error.message).toContain(`${key} in s3://${bucket} at ${proxy.url}`);
    expect(proxy.seen).toHaveLength(3);
  });

  it('unless it is a refusal', async () => {
    proxy.inject({ kind: 'answer', status: 400, body: '<Error><Code>InvalidArgument</Code></Error>' }, () => true, 99);
    await expect(store.put('key', text('x'))).rejects.toMatchObject({
      code: 'KUR_STORE_REFUSED',
      reason: 'InvalidArgument',
    });
    expect(proxy.seen).toHaveLength(1);
  });

  it('and a server that hangs is given up', async () => {
    const impatient = through({ retries: 1, idleTimeout: 100 });
    proxy.inject({ kind: 'hang' }, () => true, 99);
    await expect(impatient.head('key')).rejects.toMatchObject({ code: 'KUR_STORE_TIMEOUT' });
    expect(proxy.seen).toHaveLength(2);
  });

  it('but one that is slow to take a large part is not, as long as it takes', async () => {
    const key = `${randomUUID()}/object`;
    const bytes = randomBytes(48 * MiB);
    const goOn = Promise.withResolvers<void>();
    proxy.inject({ kind: 'hold', until: goOn.promise }, isPut);
    // The clock of what limits a try; that of a connection on which nothing moves is the system's.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const putting = through({ retries: 0, idleTimeout: 60_000 }).put(key, bytes, { partSize: 64 * MiB });
      putting.catch(() => undefined);
      await vi.waitUntil(() => proxy.seen.length > 0, 20_000);
      vi.advanceTimersByTime(3600_000);
      goOn.resolve();
      expect((await putting).size).toBe(bytes.length);
    } finally {
      vi.useRealTimers();
    }
  });

  it('but not longer than the caller waits', async () => {
    proxy.inject({ kind: 'hang' }, () => true, 99);
    await expect(store.head('key', { timeout: 50 })).rejects.toMatchObject({ name: 'TimeoutError' });
    const stop = new AbortController();
    proxy.fault = () => {
      stop.abort(new Error('enough'));
      return { kind: 'hang' };
    };
    await expect(store.put('key', text('x'), { signal: stop.signal })).rejects.toThrow('enough');
  });
});

describe('two writers at the same key in the same moment', () => {
  const conflict: Fault = {
    kind: 'answer',
    status: 409,
    body: '<Error><Code>ConditionalRequestConflict</Code></Error>',
  };

  it.each([
    ['a small object', 10, isPut],
    ['an object in parts', 11 * MiB, isComplete],
  ])('%s: what came of it is found out', async (_name, size, matches) => {
    const key = `${randomUUID()}/object`;
    proxy.inject(conflict, matches);
    expect((await store.put(key, inPieces(randomBytes(size)), { ifAbsent: true, partSize })).size).toBe(size);
  });

  it.each([
    ['a small object', 10, isPut],
    ['an object in parts', 11 * MiB, isComplete],
  ])('%s: if that does not end, nobody says that an object exists', async (_name, size, matches) => {
    const key = `${randomUUID()}/object`;
    proxy.inject(conflict, matches, 99);
    const putting = through({ retries: 1 }).put(key, inPieces(randomBytes(size)), { ifAbsent: true, partSize });
    await expect(putting).rejects.toMatchObject({ code: 'KUR_STORE_CHANGED', reason: 'ConditionalRequestConflict' });
    await expect(direct.head(key)).rejects.toMatchObject({ code: 'KUR_STORE_NOT_FOUND' });
    expect(await Array.fromAsync(direct.listUploads(key))).toEqual([]);
  });
});

it('many are deleted as far as they can be, and then the first failure is told', async () => {
  const prefix = `${randomUUID()}/`;
  const keys = Array.from({ length: 1001 }, (_, i) => `${prefix}${i}`);
  await direct.put(`${prefix}1000`, text('x'));
  const denied = '<Error><Code>AccessDenied</Code></Error>';
  proxy.inject({ kind: 'answer', status: 403, body: denied }, ({ url }) => url.endsWith('?delete='));
  await expect(store.deleteMany(keys)).rejects.toMatchObject({ code: 'KUR_STORE_FORBIDDEN' });
  expect(await Array.fromAsync(direct.list(prefix))).toEqual([]);
});

describe('an answer that is lost', () => {
  it.each([
    ['a small object', 10],
    ['an object in parts', 11 * MiB],
  ])('%s that was created is known as one’s own', async (_name, size) => {
    const key = `${randomUUID()}/object`;
    const bytes = randomBytes(size);
    proxy.inject({ kind: 'lose-answer' }, size > partSize ? isComplete : isPut);
    const info = await store.put(key, inPieces(bytes), { ifAbsent: true, partSize });
    expect(info).toMatchObject({ size, sha256: digest(bytes), etag: (await direct.head(key)).etag });
  });

  it('a replacement is known as one’s own', async () => {
    const key = `${randomUUID()}/object`;
    const { etag } = await direct.put(key, text('first'));
    proxy.inject({ kind: 'lose-answer' }, isPut);
    const second = await store.put(key, text('second'), { ifMatch: etag });
    expect(second.etag).toBe((await direct.head(key)).etag);
  });

  it('somebody else’s object with the same content is not one’s own', async () => {
    const key = `${randomUUID()}/object`;
    await direct.put(key, text('same'));
    // The first try may have been done, as far as anybody can tell.
    proxy.inject({ kind: 'cut' }, isPut);
    await expect(store.put(key, text('same'), { ifAbsent: true })).rejects.toMatchObject({
      code: 'KUR_STORE_UNCERTAIN',
      key,
    });
    proxy.inject({ kind: 'answer', status: 429 }, isPut);
    await expect(store.put(key, text('same'), { ifAbsent: true })).rejects.toMatchObject({ code: 'KUR_STORE_EXISTS' });
  });

  it('an upload that was begun twice leaves what can be found and aborted', async () => {
    const prefix = `${randomUUID()}/`;
    proxy.inject({ kind: 'lose-answer' }, ({ method, url }) => method === 'POST' && url.endsWith('?uploads='));
    await store.put(`${prefix}object`, inPieces(randomBytes(11 * MiB)), { partSize });
    const left = await Array.fromAsync(direct.listUploads(prefix));
    expect(left).toHaveLength(1);
    for (const upload of left) await direct.abortUpload(upload);
  });

  it('an error inside a success is an error', async () => {
    const key = `${randomUUID()}/object`;
    const body = '<?xml version="1.0"?>\n\n<Error><Code>InternalError</Code><Message>Try again</Message></Error>';
    proxy.inject({ kind: 'answer', status: 200, body }, isComplete);
    const bytes = randomBytes(11 * MiB);
    await store.put(key, inPieces(bytes), { partSize });
    expect(proxy.seen.filter(isComplete)).toHaveLength(2);
    expect(digest(await read(key))).toBe(digest(bytes));
  });
});

describe('a connection that is cut while an object is read', () => {
  it('is made anew from the byte where it stopped', async () => {
    const key = `${randomUUID()}/object`;
    const bytes = randomBytes(3 * MiB);
    const { etag } = await direct.put(key, bytes);
    proxy.inject({ kind: 'cut-answer', after: MiB }, isGet, 2);
    expect(digest(await read(key, store))).toBe(digest(bytes));
    const ranges = proxy.seen.map(({ headers }) => [headers.range, headers['if-match']]);
    expect(ranges).toEqual([
      [undefined, undefined],
      [`bytes=${MiB}-${3 * MiB - 1}`, `"${etag}"`],
      [`bytes=${2 * MiB}-${3 * MiB - 1}`, `"${etag}"`],
    ]);
  });

  it('does so within a range', async () => {
    const key = `${randomUUID()}/object`;
    await direct.put(key, text('0123456789'));
    proxy.inject({ kind: 'cut-answer', after: 2 }, isGet, 2);
    const object = await store.get(key, { start: 3, end: 8 });
    expect(String(await object.bytes())).toBe('345678');
  });

  it('never goes on with another version', async () => {
    const key = `${randomUUID()}/object`;
    await direct.put(key, randomBytes(MiB));
    proxy.inject({ kind: 'cut-answer', after: 1000 }, isGet);
    const object = await store.get(key);
    await direct.put(key, randomBytes(MiB));
    await expect(object.bytes()).rejects.toMatchObject({ code: 'KUR_STORE_CHANGED', key });
  });

  it('gives up where nothing comes any more', async () => {
    const key = `${randomUUID()}/object`;
    await direct.put(key, randomBytes(MiB));
    proxy.inject({ kind: 'cut-answer', after: 1000 }, isGet);
    const object = await through({ retries: 1 }).get(key);
    proxy.inject({ kind: 'cut' }, isGet, 99);
    await expect(object.bytes()).rejects.toMatchObject({ code: 'KUR_STORE_UNREACHABLE', key });
  });

  it('leaves no connection when the reader has enough', async () => {
    const key = `${randomUUID()}/object`;
    await direct.put(key, randomBytes(8 * MiB));
    const { body } = await store.get(key);
    for await (const _chunk of body) break;
    expect(body.destroyed).toBe(true);
    (await store.get(key)).body.destroy();
    // Nor does it make a new one for nobody.
    await store.head(key);
    expect(proxy.seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'HEAD']);
  });
});

describe('content that is changed on the way', () => {
  it.each([
    ['whole', 1000],
    ['in parts', 11 * MiB],
  ])('is seen by the reader of an object that was put %s', async (_name, size) => {
    const key = `${randomUUID()}/object`;
    await direct.put(key, inPieces(randomBytes(size)), { partSize });
    proxy.inject({ kind: 'corrupt' }, isGet);
    await expect(read(key, store)).rejects.toMatchObject({ code: 'KUR_STORE_DIGEST', key });
    await read(key, store);
  });
});

describe('uploads', () => {
  it('send only the parts that are not there', async () => {
    const key = `${randomUUID()}/object`;
    const bytes = randomBytes(4 * partSize);
    async function* broken(): AsyncGenerator<Buffer> {
      yield* inPieces(bytes.subarray(0, 3.5 * partSize));
      throw new Error('killed');
    }
    const options = { token: 'backup', partSize, parallel: 1 };
    await expect(direct.put(key, broken(), options)).rejects.toThrow('killed');
    proxy.seen.length = 0;
    await store.put(key, inPieces(bytes), options);
    const parts = proxy.seen.filter(isPut).map(({ url }) => /partNumber=(\d+)/.exec(url)?.[1]);
    expect(parts).not.toContain('1');
    expect(parts.length).toBeLessThanOrEqual(3);
    expect(digest(await read(key))).toBe(digest(bytes));
  });

  it('survive any faults that pass', async () => {
    const fault = fc.constantFrom<Fault | undefined>(
      undefined,
      undefined,
      undefined,
      { kind: 'cut' },
      { kind: 'lose-answer' },
      { kind: 'answer', status: 503, headers: { 'retry-after': '0' } },
      { kind: 'cut-answer', after: 10 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { minLength: 12, maxLength: 12 }), async (faults) => {
        const key = `${randomUUID()}/object`;
        const bytes = randomBytes(2 * partSize + 1);
        let i = 0;
        proxy.fault = () => faults[i++];
        const info = await through({ retries: 20 }).put(key, inPieces(bytes), { partSize, ifAbsent: true });
        expect(info.sha256).toBe(digest(await (await store.get(key)).bytes()));
        expect(info.sha256).toBe(digest(bytes));
      }),
      { seed: 20_261_118, numRuns: 4 },
    );
  });

  it('of which one creates, also when answers are lost', async () => {
    const fault = fc.constantFrom<Fault | undefined>(
      undefined,
      { kind: 'cut' },
      { kind: 'lose-answer' },
      { kind: 'answer', status: 500 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { minLength: 6, maxLength: 6 }), async (faults) => {
        const key = `${randomUUID()}/object`;
        let i = 0;
        proxy.fault = ({ method }) => (method === 'PUT' ? faults[i++] : undefined);
        const bodies = ['a', 'b', 'c', 'd'];
        const results = await Promise.allSettled(
          bodies.map(async (body) => await through({ retries: 20 }).put(key, text(body), { ifAbsent: true })),
        );
        const winners = bodies.filter((_, n) => results[n]?.status === 'fulfilled');
        expect(winners).toEqual([String(await read(key))]);
        const losers = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
        expect(losers.every((code) => ['KUR_STORE_EXISTS', 'KUR_STORE_UNCERTAIN'].includes(code))).toBe(true);
      }),
      { seed: 20_261_119, numRuns: 8 },
    );
  });
});

describe('what is wrong is named', () => {
  const secretAccessKey = 'nobody-may-ever-see-this';

  it('wrong credentials, which are shown nowhere', async () => {
    const wrong = through({
      credentials: { ...credentials, secretAccessKey, sessionToken: 'nor-this-one' },
      retries: 0,
    });
    const error = await wrong.put('key', text('x')).catch((caught) => caught);
    expect(error).toMatchObject({ code: expect.stringMatching(/KUR_STORE_(CREDENTIALS|FORBIDDEN)/), key: 'key' });
    for (const shown of [error, wrong]) {
      const all = `${inspect(shown, { depth: 20, showHidden: true })}${JSON.stringify(shown)}`;
      expect(all).not.toMatch(/nobody-may|nor-this/);
    }
    const unknown = through({ credentials: { ...credentials, accessKeyId: 'stranger' } });
    await expect(unknown.put('key', text('x'))).rejects.toMatchObject({ code: 'KUR_STORE_CREDENTIALS' });
    await expect(unknown.delete('key')).rejects.toMatchObject({ code: 'KUR_STORE_CREDENTIALS' });
  });

  it('credentials that were changed are used at once', async () => {
    let current = { ...credentials, secretAccessKey };
    const rotating = through({ credentials: () => current });
    await expect(rotating.put('key', text('x'))).rejects.toMatchObject({ code: 'KUR_STORE_CREDENTIALS' });
    current = credentials;
    await rotating.put('key', text('x'));
  });

  it('a bucket that is not there', async () => {
    const missing = through({ bucket: 'missing' });
    const error = { code: 'KUR_STORE_NO_BUCKET', message: expect.stringContaining('s3://missing') };
    await expect(missing.put('key', text('x'))).rejects.toMatchObject(error);
    await expect(Array.fromAsync(missing.list(''))).rejects.toMatchObject(error);
  });

  it('a region that is wrong is corrected', async () => {
    await using elsewhere = await S3Server.start({ region: 'eu-central-1' });
    const there = await elsewhere.createBucket('backups');
    await using lost = createS3Store({ endpoint: elsewhere.url, bucket: there, credentials, region: 'us-west-2' });
    expect((await lost.put('key', text('x'))).size).toBe(1);
  });

  it.each([
    ['PUT', async (one: ObjectStore) => await one.put('clock', text('x'))],
    ['HEAD', async (one: ObjectStore) => await one.head('clock')],
  ])('a clock that is wrong is corrected by that of the server: %s', async (_name, call) => {
    await direct.put('clock', text('x'));
    const real = Date.now;
    const skewed = through();
    try {
      // The clock of this process, which the server does not share.
      Date.now = () => real() - 3600_000;
      expect((await call(skewed)).size).toBe(1);
      expect(proxy.seen).toHaveLength(2);
      await call(skewed);
      expect(proxy.seen).toHaveLength(3);
    } finally {
      Date.now = real;
    }
  });

  it('a certificate that nobody vouches for', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
    try {
      const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
      const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
      const files = ['-nodes', '-days', '1', '-keyout', tls.key, '-out', tls.cert];
      await promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...names, ...files]);
      await using secure = await S3Server.start({ tls });
      const there = await secure.createBucket('backups');
      const doubting = through({ endpoint: secure.url, bucket: there });
      await expect(doubting.put('key', text('x'))).rejects.toMatchObject({ code: 'KUR_STORE_TLS', key: 'key' });
      const trusting = through({ endpoint: secure.url, bucket: there, ca: await readFile(tls.cert) });
      const bytes = randomBytes(11 * MiB);
      await trusting.put('key', inPieces(bytes), { partSize });
      expect(digest(await read('key', trusting))).toBe(digest(bytes));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('something else at the endpoint', async () => {
    proxy.inject({ kind: 'answer', status: 200, body: '<html>Welcome</html>' }, () => true, 99);
    await expect(Array.fromAsync(store.list(''))).rejects.toMatchObject({ code: 'KUR_STORE_BAD_RESPONSE' });
    await expect(store.head('key')).rejects.toMatchObject({ code: 'KUR_STORE_BAD_RESPONSE' });
  });

  it('a server that does not keep conditions', async () => {
    await checkStore(direct, 'checks/');
    proxy.fault = (seen) => {
      delete seen.headers['if-none-match'];
      return undefined;
    };
    // It signs the header, so a proxy that takes it away is seen as well: by the server.
    await expect(checkStore(store, 'checks/')).rejects.toMatchObject({
      code: expect.stringMatching(/CREDENTIALS|UNFIT/),
    });
    expect(await Array.fromAsync(direct.list('checks/'))).toEqual([]);
  });

  it('nobody at the endpoint', async () => {
    const nobody = through({ endpoint: 'http://127.0.0.1:1', retries: 1 });
    const error = {
      code: 'KUR_STORE_UNREACHABLE',
      reason: 'ECONNREFUSED',
      message: expect.stringContaining('endpoint'),
    };
    await expect(nobody.head('key')).rejects.toMatchObject(error);
  });
});
