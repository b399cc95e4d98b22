/** What every kind of store must do, as tests. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListPage, ObjectStore } from '../../src/index.ts';
import { isLinearizable, type Operation } from './linearizable.ts';

const MiB = 2 ** 20;

/** A store under test. Each call gives another client of the same store. */
export interface Subject extends AsyncDisposable {
  client(): ObjectStore;
}

const text = (value: string) => Buffer.from(value);
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* inPieces(bytes: Buffer, size = 100_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(pages: AsyncIterable<ListPage>): Promise<{ keys: string[]; prefixes: string[]; pages: number }> {
  const read = await Array.fromAsync(pages);
  return {
    keys: read.flatMap(({ objects }) => objects.map(({ key }) => key)),
    prefixes: read.flatMap(({ prefixes }) => prefixes),
    pages: read.length,
  };
}

/** Runs the contract. Seeds are fixed, so that a failure is the same the next time. */
export function describeContract(name: string, start: () => Promise<Subject>, startTimeout: number): void {
  describe(name, () => {
    let subject: Subject;
    let store: ObjectStore;
    const opened: ObjectStore[] = [];
    const client = () => {
      const made = subject.client();
      opened.push(made);
      return made;
    };
    /** A folder of its own for every test. */
    const own = () => `${randomUUID()}/`;
    const read = async (key: string, from = store) => await (await from.get(key)).bytes();

    beforeAll(async () => {
      subject = await start();
      store = client();
    }, startTimeout);
    afterAll(async () => {
      for (const made of opened) await made[Symbol.asyncDispose]();
      await subject?.[Symbol.asyncDispose]();
    });

    describe('put and get', () => {
      it('gives back what was put, with its digest and metadata', async () => {
        const key = `${own()}Ünïcode & (plus+) %41 'quotes" ~=?#.txt`;
        const put = await store.put(key, text('hello'), { metadata: { taken: '2026-11-16', 'by-whom': 'etcd 0' } });
        const { info, body } = await store.get(key);
        expect(Buffer.concat(await body.toArray())).toEqual(text('hello'));
        expect(info).toMatchObject({
          key,
          size: 5,
          etag: put.etag,
          sha256: digest(text('hello')),
          metadata: { taken: '2026-11-16', 'by-whom': 'etcd 0' },
        });
        expect(await store.head(key)).toEqual(info);
        expect(put).toMatchObject({ key, size: 5, sha256: info.sha256, metadata: info.metadata });
      });

      it.each([
        ['nothing', 0],
        ['one byte', 1],
        ['exactly one part', 5 * MiB],
        ['one part and a byte', 5 * MiB + 1],
        ['three parts', 15 * MiB],
      ])('takes %s, as bytes and as a stream', async (_name, size) => {
        const bytes = randomBytes(size);
        const prefix = own();
        const options = { partSize: 5 * MiB, parallel: 2 };
        const asBytes = await store.put(`${prefix}bytes`, bytes, options);
        const asStream = await store.put(`${prefix}stream`, Readable.from(inPieces(bytes)), options);
        expect([asBytes.sha256, asStream.sha256]).toEqual([digest(bytes), digest(bytes)]);
        expect([asBytes.size, asStream.size, asStream.etag]).toEqual([size, size, asBytes.etag]);
        for (const key of ['bytes', 'stream']) expect(digest(await read(`${prefix}${key}`))).toBe(digest(bytes));
      });

      it.each([
        [{ start: 2 }, 'cdefgh'],
        [{ start: 2, end: 4 }, 'cde'],
        [{ end: 0 }, 'a'],
        [{ start: 7, end: 99 }, 'h'],
      ])('reads the range %j', async (range, expected) => {
        const key = `${own()}letters`;
        await store.put(key, text('abcdefgh'));
        const { info, ...object } = await store.get(key, range);
        expect([String(await object.bytes()), info.size]).toEqual([expected, 8]);
      });

      it('refuses a range after the end', async () => {
        const key = `${own()}letters`;
        await store.put(key, text('abc'));
        await expect(store.get(key, { start: 3 })).rejects.toMatchObject({ code: 'KUR_STORE_OPTION', key });
      });

      it('refuses content that has not the digest that was said, and puts nothing', async () => {
        const prefix = own();
        const small = store.put(`${prefix}small`, text('abc'), { sha256: digest(text('abd')) });
        await expect(small).rejects.toMatchObject({ code: 'KUR_STORE_DIGEST' });
        const large = store.put(`${prefix}large`, inPieces(randomBytes(11 * MiB)), {
          sha256: digest(text('abd')),
          partSize: 5 * MiB,
        });
        await expect(large).rejects.toMatchObject({ code: 'KUR_STORE_DIGEST' });
        expect((await all(store.list(prefix))).keys).toEqual([]);
        expect(await Array.fromAsync(store.listUploads(prefix))).toEqual([]);
      });

      it('fails a reader who expects another digest', async () => {
        const key = `${own()}object`;
        await store.put(key, text('abc'));
        const object = await store.get(key, { sha256: digest(text('abd')) });
        await expect(object.bytes()).rejects.toMatchObject({ code: 'KUR_STORE_DIGEST', key });
      });

      it('refuses to read more into memory than is allowed', async () => {
        const key = `${own()}object`;
        await store.put(key, text('abcdef'));
        await expect((await store.get(key)).bytes(5)).rejects.toMatchObject({ code: 'KUR_STORE_TOO_LARGE' });
      });

      it('names what is not there', async () => {
        const key = `${own()}nothing`;
        const error = { code: 'KUR_STORE_NOT_FOUND', key, message: expect.stringContaining(store.location) };
        await expect(store.get(key)).rejects.toMatchObject(error);
        await expect(store.head(key)).rejects.toMatchObject(error);
      });

      it('stays with the version that it began to read', async () => {
        const key = `${own()}object`;
        const [before, after] = [randomBytes(8 * MiB), randomBytes(8 * MiB)];
        await store.put(key, before);
        const { body } = await store.get(key);
        const chunks = body[Symbol.asyncIterator]();
        const first = await chunks.next();
        await store.put(key, after);
        const rest: Buffer[] = [first.value];
        for (let next = await chunks.next(); !next.done; next = await chunks.next()) rest.push(next.value);
        expect(digest(Buffer.concat(rest))).toBe(digest(before));
      });

      it.each([
        ['a source that fails', new Error('the disk is on fire')],
        ['a source that gives text', 'text'],
      ])('puts nothing of %s', async (_name, trouble) => {
        const prefix = own();
        async function* source(): AsyncGenerator<Buffer> {
          yield randomBytes(6 * MiB);
          yield randomBytes(6 * MiB);
          if (trouble instanceof Error) throw trouble;
          yield trouble as unknown as Buffer;
        }
        await expect(store.put(`${prefix}object`, source(), { partSize: 5 * MiB })).rejects.toThrow(/fire|bytes/);
        expect((await all(store.list(prefix))).keys).toEqual([]);
        expect(await Array.fromAsync(store.listUploads(prefix))).toEqual([]);
      });

      it('ends when it is told to, also while its source hangs', async () => {
        const prefix = own();
        const stop = new AbortController();
        async function* hanging(): AsyncGenerator<Buffer> {
          yield randomBytes(11 * MiB);
          stop.abort(new Error('enough'));
          await new Promise(() => undefined);
        }
        const putting = store.put(`${prefix}object`, hanging(), { partSize: 5 * MiB, signal: stop.signal });
        await expect(putting).rejects.toThrow('enough');
        expect(await Array.fromAsync(store.listUploads(prefix))).toEqual([]);
        await expect(store.head(`${prefix}object`, { signal: stop.signal })).rejects.toThrow('enough');
      });
    });

    describe('keys', () => {
      it.each([
        [''],
        ['/absolute'],
        ['folder/'],
        ['a//b'],
        ['../up'],
        ['a/../../b'],
        ['a/./b'],
        ['a\0b'],
        ['a\nb'],
        ['\ud800'],
        ['a'.repeat(241)],
        [Array(103).fill('123456789').join('/')],
      ])('%j is none', async (key) => {
        const error = { code: 'KUR_STORE_KEY' };
        await expect(store.put(key, text('x'))).rejects.toMatchObject(error);
        await expect(store.get(key)).rejects.toMatchObject(error);
        await expect(store.head(key)).rejects.toMatchObject(error);
        await expect(store.delete(key)).rejects.toMatchObject(error);
        await expect(store.deleteMany([key])).rejects.toMatchObject(error);
      });

      it('may be long, and have dots', async () => {
        const key = `${own()}${Array(4).fill('ä'.repeat(100)).join('/')}/...`;
        await store.put(key, text('x'));
        expect((await all(store.list(key.slice(0, 40)))).keys).toEqual([key]);
      });
    });

    describe('conditions', () => {
      it('creates only what is not there', async () => {
        const key = `${own()}object`;
        await store.put(key, text('first'), { ifAbsent: true });
        await expect(store.put(key, text('second'), { ifAbsent: true })).rejects.toMatchObject({
          code: 'KUR_STORE_EXISTS',
          key,
        });
        // The same content is somebody else's all the same.
        await expect(store.put(key, text('first'), { ifAbsent: true })).rejects.toMatchObject({
          code: 'KUR_STORE_EXISTS',
        });
        expect(String(await read(key))).toBe('first');
      });

      it('replaces only what it has seen', async () => {
        const key = `${own()}object`;
        const { etag } = await store.put(key, text('first'));
        const second = await store.put(key, text('second'), { ifMatch: etag });
        await expect(store.put(key, text('third'), { ifMatch: etag })).rejects.toMatchObject({
          code: 'KUR_STORE_CHANGED',
          key,
        });
        await expect(store.get(key, { ifMatch: etag })).rejects.toMatchObject({ code: 'KUR_STORE_CHANGED' });
        expect(String(await (await store.get(key, { ifMatch: second.etag })).bytes())).toBe('second');
        await store.delete(key);
        await expect(store.put(key, text('x'), { ifMatch: etag })).rejects.toMatchObject({ code: 'KUR_STORE_CHANGED' });
      });

      it('also in parts', async () => {
        const key = `${own()}object`;
        const options = { partSize: 5 * MiB };
        const [first, second] = [randomBytes(11 * MiB), randomBytes(11 * MiB)];
        const { etag } = await store.put(key, inPieces(first), { ...options, ifAbsent: true });
        const again = store.put(key, inPieces(second), { ...options, ifAbsent: true });
        await expect(again).rejects.toMatchObject({ code: 'KUR_STORE_EXISTS' });
        await store.put(key, inPieces(second), { ...options, ifMatch: etag });
        const late = store.put(key, inPieces(first), { ...options, ifMatch: etag });
        await expect(late).rejects.toMatchObject({ code: 'KUR_STORE_CHANGED' });
        expect(digest(await read(key))).toBe(digest(second));
        expect(await Array.fromAsync(store.listUploads(key))).toEqual([]);
      });

      it.each([
        ['small objects', 10],
        ['objects in parts', 6 * MiB],
      ])('of many writers of %s exactly one creates', async (_name, size) => {
        const key = `${own()}object`;
        const bodies = Array.from({ length: 8 }, () => randomBytes(size));
        const clients = bodies.map(() => client());
        const results = await Promise.allSettled(
          bodies.map(
            async (body, i) => await clients[i]?.put(key, inPieces(body), { ifAbsent: true, partSize: 5 * MiB }),
          ),
        );
        const winners = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []));
        expect(winners).toHaveLength(1);
        const losers = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
        expect(new Set(losers)).toEqual(new Set(['KUR_STORE_EXISTS']));
        expect(digest(await read(key))).toBe(digest(bodies[winners[0] ?? -1] ?? text('')));
      });

      it('counts right with many who count', async () => {
        const key = `${own()}counter`;
        await store.put(key, text('0'));
        const increment = async (mine: ObjectStore) => {
          for (;;) {
            const { info, ...object } = await mine.get(key);
            const next = String(Number(await object.bytes()) + 1);
            try {
              return await mine.put(key, text(next), { ifMatch: info.etag });
            } catch (error) {
              expect(error).toMatchObject({ code: 'KUR_STORE_CHANGED' });
            }
          }
        };
        const clients = Array.from({ length: 4 }, () => client());
        await Promise.all(
          clients.map(async (mine) => {
            for (let i = 0; i < 5; i += 1) await increment(mine);
          }),
        );
        expect(String(await read(key))).toBe('20');
      });
    });

    describe('lists', () => {
      it('are in the order of bytes, by prefix, in pages', async () => {
        const prefix = own();
        const names = ['a', 'a-b', 'b/c', 'b-d', 'b0', 'c/d/e', 'c/d/f', 'ä', '\u{1f600}', '\uff5e', 'Z'];
        for (const name of names) await store.put(`${prefix}${name}`, text(name));
        const sorted = names.map((name) => `${prefix}${name}`).sort((a, b) => Buffer.compare(text(a), text(b)));
        expect((await all(store.list(prefix))).keys).toEqual(sorted);
        const paged = await all(store.list(prefix, { pageSize: 2 }));
        expect([paged.keys, paged.pages]).toEqual([sorted, 6]);
        expect((await all(store.list(prefix, { startAfter: sorted[4] ?? '', pageSize: 3 }))).keys).toEqual(
          sorted.slice(5),
        );
        expect((await all(store.list(`${prefix}b`))).keys).toEqual(
          sorted.filter((key) => key.startsWith(`${prefix}b`)),
        );
        expect((await all(store.list(`${prefix}nothing`))).pages).toBe(0);
        const [first] = await Array.fromAsync(store.list(`${prefix}a`));
        const [info] = first?.objects ?? [];
        expect(info).toMatchObject({ size: 1, etag: (await store.head(`${prefix}a`)).etag });
      });

      it('put together what is below a slash', async () => {
        const prefix = own();
        for (const name of ['a', 'b/1', 'b/2', 'c/1/x', 'd']) await store.put(`${prefix}${name}`, text(name));
        const top = await all(store.list(prefix, { delimiter: '/' }));
        expect(top).toEqual({
          keys: ['a', 'd'].map((name) => `${prefix}${name}`),
          prefixes: ['b/', 'c/'].map((name) => `${prefix}${name}`),
          pages: 1,
        });
        expect((await all(store.list(`${prefix}b/`, { delimiter: '/' }))).keys).toEqual([
          `${prefix}b/1`,
          `${prefix}b/2`,
        ]);
        expect((await all(store.list(`${prefix}c`, { delimiter: '/' }))).prefixes).toEqual([`${prefix}c/`]);
      });

      it('forget what is deleted, one or many', async () => {
        const prefix = own();
        const keys = Array.from({ length: 25 }, (_, i) => `${prefix}wal/${String(i).padStart(3, '0')} <&>`);
        await Promise.all(keys.map(async (key) => await store.put(key, text(key))));
        await store.delete(keys[0] ?? '');
        await store.delete(keys[0] ?? '');
        await store.deleteMany(keys.slice(0, 20));
        expect((await all(store.list(prefix))).keys).toEqual(keys.slice(20));
        await store.deleteMany(keys);
        expect((await all(store.list(prefix))).keys).toEqual([]);
      });
    });

    describe('uploads', () => {
      const partSize = 5 * MiB;
      /** Breaks off after so many bytes, as a process does that is killed. */
      async function* broken(bytes: Buffer, after: number): AsyncGenerator<Buffer> {
        yield* inPieces(bytes.subarray(0, after));
        throw new Error('killed');
      }

      it('continue from what is there, by their token', async () => {
        const key = `${own()}snapshot`;
        const bytes = randomBytes(3 * partSize + 1000);
        const options = { token: 'backup-7', partSize, parallel: 1, ifAbsent: true };
        await expect(store.put(key, broken(bytes, 2.5 * partSize), options)).rejects.toThrow('killed');
        const [pending, ...others] = await Array.fromAsync(store.listUploads(key));
        expect([pending?.key, others]).toEqual([key, []]);
        const again = client();
        const info = await again.put(key, inPieces(bytes), options);
        expect(info).toMatchObject({ size: bytes.length, sha256: digest(bytes) });
        expect(digest(await read(key))).toBe(digest(bytes));
        expect(await Array.fromAsync(store.listUploads(key))).toEqual([]);
        // Done is done, for who has the token; for others it exists.
        expect((await again.put(key, inPieces(bytes), options)).etag).toBe(info.etag);
        const stranger = again.put(key, inPieces(bytes), { ...options, token: 'backup-8' });
        await expect(stranger).rejects.toMatchObject({ code: 'KUR_STORE_EXISTS' });
      });

      it('with the same token and other content become that content', async () => {
        const key = `${own()}snapshot`;
        const [first, second] = [randomBytes(4 * partSize), randomBytes(2 * partSize + 5)];
        const options = { token: 'backup-7', partSize };
        await expect(store.put(key, broken(first, first.length), options)).rejects.toThrow('killed');
        await store.put(key, inPieces(second), options);
        expect(digest(await read(key))).toBe(digest(second));
      });

      it('with the same token at the same time end as one', async () => {
        const key = `${own()}snapshot`;
        const bytes = randomBytes(2 * partSize + 1000);
        const options = { token: 'backup-7', partSize, ifAbsent: true };
        const results = await Promise.all([1, 2, 3].map(async () => await client().put(key, inPieces(bytes), options)));
        expect(new Set(results.map(({ etag }) => etag)).size).toBe(1);
        expect(digest(await read(key))).toBe(digest(bytes));
      });

      it('with another token leave each other alone', async () => {
        const key = `${own()}snapshot`;
        const bytes = randomBytes(3 * partSize);
        await expect(store.put(key, broken(bytes, bytes.length), { token: 'a', partSize })).rejects.toThrow('killed');
        await store.put(key, inPieces(bytes), { token: 'b', partSize });
        expect(await Array.fromAsync(store.listUploads(key))).toHaveLength(1);
      });

      it('that are abandoned are listed and aborted', async () => {
        const prefix = own();
        const bytes = randomBytes(3 * partSize);
        for (const name of ['b', 'a'])
          await expect(
            store.put(`${prefix}${name}`, broken(bytes, bytes.length), { token: name, partSize }),
          ).rejects.toThrow();
        const pending = await Array.fromAsync(store.listUploads(prefix));
        expect(pending.map(({ key }) => key)).toEqual([`${prefix}a`, `${prefix}b`]);
        expect(pending.every(({ startedAt }) => Math.abs(Date.now() - startedAt.getTime()) < 600_000)).toBe(true);
        for (const upload of [...pending, ...pending]) await store.abortUpload(upload);
        expect(await Array.fromAsync(store.listUploads(prefix))).toEqual([]);
        expect((await all(store.list(prefix))).keys).toEqual([]);
      });
    });

    describe('histories', () => {
      const names = ['a', 'b', 'c/1', 'c/2', 'd'];
      const name = fc.constantFrom(...names);
      const value = fc.constantFrom('one', 'two', '');
      const step = fc.oneof(
        fc.record({ kind: fc.constant('put' as const), name, value }),
        fc.record({ kind: fc.constant('create' as const), name, value }),
        fc.record({ kind: fc.constant('replace' as const), name, value, seen: value }),
        fc.record({ kind: fc.constant('delete' as const), name }),
        fc.record({ kind: fc.constant('deleteMany' as const), names: fc.subarray(names) }),
        fc.record({ kind: fc.constant('get' as const), name }),
        fc.record({ kind: fc.constant('list' as const), prefix: fc.constantFrom('', 'a', 'c', 'c/') }),
      );
      type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

      /** By content: the same content has the same one. */
      const etags = async () => {
        const key = `${own()}etags`;
        const found = new Map<string, string>();
        for (const content of ['one', 'two', '']) found.set(content, (await store.put(key, text(content))).etag);
        return (content: string) => found.get(content) ?? '';
      };

      const outcome = async (work: Promise<unknown>) =>
        await work.then(
          () => 'done',
          (error) => error.code ?? error,
        );

      it('are those of a Map', async () => {
        const etagOf = await etags();
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps: Step[]) => {
            const prefix = own();
            const model = new Map<string, string>();
            for (const one of steps) {
              if (one.kind === 'list') {
                const expected = [...model.keys()].filter((key) => key.startsWith(one.prefix)).sort();
                const { keys } = await all(store.list(`${prefix}${one.prefix}`, { pageSize: 2 }));
                expect(keys).toEqual(expected.map((key) => `${prefix}${key}`));
              } else if (one.kind === 'deleteMany') {
                await store.deleteMany(one.names.map((key) => `${prefix}${key}`));
                for (const key of one.names) model.delete(key);
              } else if (one.kind === 'delete') {
                await store.delete(`${prefix}${one.name}`);
                model.delete(one.name);
              } else if (one.kind === 'get') {
                const got = await read(`${prefix}${one.name}`).then(String, (error) => error.code);
                expect(got).toBe(model.get(one.name) ?? 'KUR_STORE_NOT_FOUND');
              } else {
                const isAllowed =
                  one.kind === 'put' ||
                  (one.kind === 'create' ? !model.has(one.name) : model.get(one.name) === one.seen);
                const options =
                  one.kind === 'create'
                    ? { ifAbsent: true }
                    : one.kind === 'replace'
                      ? { ifMatch: etagOf(one.seen) }
                      : {};
                const result = await outcome(store.put(`${prefix}${one.name}`, text(one.value), options));
                const refused = one.kind === 'create' ? 'KUR_STORE_EXISTS' : 'KUR_STORE_CHANGED';
                expect(result).toBe(isAllowed ? 'done' : refused);
                if (isAllowed) model.set(one.name, one.value);
              }
            }
            expect((await all(store.list(prefix))).keys).toEqual(
              [...model.keys()].sort().map((key) => `${prefix}${key}`),
            );
          }),
          { seed: 20_261_116, numRuns: 40 },
        );
      });

      it('of several clients at once are those of one object', async () => {
        const etagOf = await etags();
        const clients = [client(), client(), client()];
        const values = fc.constantFrom('one', 'two');
        const act = fc.oneof(
          fc.record({ kind: fc.constant('put' as const), value: values }),
          fc.record({ kind: fc.constant('create' as const), value: values }),
          fc.record({ kind: fc.constant('replace' as const), value: values, seen: values }),
          fc.record({ kind: fc.constant('delete' as const) }),
          fc.record({ kind: fc.constant('get' as const) }),
        );
        const scripts = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 3 });
        await fc.assert(
          fc.asyncProperty(scripts, async (byClient) => {
            const key = `${own()}object`;
            let clock = 0;
            const history: Operation[] = [];
            const run = async (mine: ObjectStore, asked: (typeof byClient)[number][number]) => {
              const begin = clock++;
              let result: string;
              if (asked.kind === 'get') result = await read(key, mine).then(String, (error) => error.code);
              else if (asked.kind === 'delete') result = await outcome(mine.delete(key));
              else {
                const options =
                  asked.kind === 'create'
                    ? { ifAbsent: true }
                    : asked.kind === 'replace'
                      ? { ifMatch: etagOf(asked.seen) }
                      : {};
                result = await outcome(mine.put(key, text(asked.value), options));
              }
              history.push({ ...asked, begin, end: clock++, result });
            };
            await Promise.all(
              byClient.map(async (script, i) => {
                for (const asked of script) await run(clients[i] ?? store, asked);
              }),
            );
            expect(isLinearizable(history), JSON.stringify(history)).toBe(true);
          }),
          { seed: 20_261_117, numRuns: 60 },
        );
      });
    });
  });
}
