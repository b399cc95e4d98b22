/** What every kind of store must do, as tests. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { all, ContractContext, digest, inPieces, MiB, type Subject, text } from './contract-context.ts';
import { describeHistories } from './contract-histories.ts';
import { describeWriters } from './contract-writers.ts';

/** Runs the contract. Seeds are fixed, so that a failure is the same the next time. */
export function describeContract(name: string, start: () => Promise<Subject>): void {
  describe(name, () => {
    const context = new ContractContext();
    beforeAll(async () => await context.start(start));
    afterAll(async () => await context[Symbol.asyncDispose]());
    describePutting(context);
    describeKeys(context);
    describeLists(context);
    describeWriters(context);
    describeHistories(context);
  });
}

function describePutting(context: ContractContext): void {
  describe('put and get', () => {
    it('gives back what was put, with its digest and metadata', async () => {
      const key = `${context.own()}Ünïcode & (plus+) %41 'quotes" ~=?#.txt`;
      const put = await context.store.put(key, text('hello'), {
        metadata: { taken: '2026-11-16', 'by-whom': 'etcd 0' },
      });
      const { info, body } = await context.store.get(key);
      expect(Buffer.concat(await body.toArray())).toEqual(text('hello'));
      expect(info).toMatchObject({
        key,
        size: 5,
        etag: put.etag,
        sha256: digest(text('hello')),
        metadata: { taken: '2026-11-16', 'by-whom': 'etcd 0' },
      });
      expect(await context.store.head(key)).toEqual(info);
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
      const prefix = context.own();
      const options = { partSize: 5 * MiB, parallel: 2 };
      const asBytes = await context.store.put(`${prefix}bytes`, bytes, options);
      const asStream = await context.store.put(`${prefix}stream`, Readable.from(inPieces(bytes)), options);
      expect([asBytes.sha256, asStream.sha256]).toEqual([digest(bytes), digest(bytes)]);
      expect([asBytes.size, asStream.size, asStream.etag]).toEqual([size, size, asBytes.etag]);
      for (const key of ['bytes', 'stream']) expect(digest(await context.read(`${prefix}${key}`))).toBe(digest(bytes));
    });

    it.each([
      [{ start: 2 }, 'cdefgh'],
      [{ start: 2, end: 4 }, 'cde'],
      [{ end: 0 }, 'a'],
      [{ start: 7, end: 99 }, 'h'],
    ])('reads the range %j', async (range, expected) => {
      const key = `${context.own()}letters`;
      await context.store.put(key, text('abcdefgh'));
      const { info, ...object } = await context.store.get(key, range);
      expect([String(await object.bytes()), info.size]).toEqual([expected, 8]);
    });

    it('refuses a range after the end', async () => {
      const key = `${context.own()}letters`;
      await context.store.put(key, text('abc'));
      await expect(context.store.get(key, { start: 3 })).rejects.toMatchObject({ code: 'KUR_STORE_OPTION', key });
    });

    it('refuses content that has not the digest that was said, and puts nothing', async () => {
      const prefix = context.own();
      const small = context.store.put(`${prefix}small`, text('abc'), { sha256: digest(text('abd')) });
      await expect(small).rejects.toMatchObject({ code: 'KUR_STORE_DIGEST' });
      const large = context.store.put(`${prefix}large`, inPieces(randomBytes(11 * MiB)), {
        sha256: digest(text('abd')),
        partSize: 5 * MiB,
      });
      await expect(large).rejects.toMatchObject({ code: 'KUR_STORE_DIGEST' });
      expect((await all(context.store.list(prefix))).keys).toEqual([]);
      expect(await Array.fromAsync(context.store.listUploads(prefix))).toEqual([]);
    });

    it('fails a reader who expects another digest', async () => {
      const key = `${context.own()}object`;
      await context.store.put(key, text('abc'));
      const object = await context.store.get(key, { sha256: digest(text('abd')) });
      await expect(object.bytes()).rejects.toMatchObject({ code: 'KUR_STORE_DIGEST', key });
    });

    it('refuses to read more into memory than is allowed', async () => {
      const key = `${context.own()}object`;
      await context.store.put(key, text('abcdef'));
      await expect((await context.store.get(key)).bytes(5)).rejects.toMatchObject({ code: 'KUR_STORE_TOO_LARGE' });
    });

    it('names what is not there', async () => {
      const key = `${context.own()}nothing`;
      const error = { code: 'KUR_STORE_NOT_FOUND', key, message: expect.stringContaining(context.store.location) };
      await expect(context.store.get(key)).rejects.toMatchObject(error);
      await expect(context.store.head(key)).rejects.toMatchObject(error);
    });

    it('stays with the version that it began to read', async () => {
      const key = `${context.own()}object`;
      const [before, after] = [randomBytes(8 * MiB), randomBytes(8 * MiB)];
      await context.store.put(key, before);
      const { body } = await context.store.get(key);
      const chunks = body[Symbol.asyncIterator]();
      const first = await chunks.next();
      await context.store.put(key, after);
      const rest: Buffer[] = [first.value];
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) rest.push(next.value);
      expect(digest(Buffer.concat(rest))).toBe(digest(before));
    });

    it.each([
      ['a source that fails', new Error('the disk is on fire')],
      ['a source that gives text', 'text'],
    ])('puts nothing of %s', async (_name, trouble) => {
      const prefix = context.own();
      async function* source(): AsyncGenerator<Buffer> {
        yield randomBytes(6 * MiB);
        yield randomBytes(6 * MiB);
        if (trouble instanceof Error) throw trouble;
        yield trouble as unknown as Buffer;
      }
      await expect(context.store.put(`${prefix}object`, source(), { partSize: 5 * MiB })).rejects.toThrow(/fire|bytes/);
      expect((await all(context.store.list(prefix))).keys).toEqual([]);
      expect(await Array.fromAsync(context.store.listUploads(prefix))).toEqual([]);
    });

    it('ends when it is told to, also while its source hangs', async () => {
      const prefix = context.own();
      const stop = new AbortController();
      async function* hanging(): AsyncGenerator<Buffer> {
        yield randomBytes(11 * MiB);
        stop.abort(new Error('enough'));
        await new Promise(() => undefined);
      }
      const putting = context.store.put(`${prefix}object`, hanging(), { partSize: 5 * MiB, signal: stop.signal });
      await expect(putting).rejects.toThrow('enough');
      expect(await Array.fromAsync(context.store.listUploads(prefix))).toEqual([]);
      await expect(context.store.head(`${prefix}object`, { signal: stop.signal })).rejects.toThrow('enough');
    });
  });
}

function describeKeys(context: ContractContext): void {
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
      await expect(context.store.put(key, text('x'))).rejects.toMatchObject(error);
      await expect(context.store.get(key)).rejects.toMatchObject(error);
      await expect(context.store.head(key)).rejects.toMatchObject(error);
      await expect(context.store.delete(key)).rejects.toMatchObject(error);
      await expect(context.store.deleteMany([key])).rejects.toMatchObject(error);
    });

    it('may be long, and have dots', async () => {
      const key = `${context.own()}${Array(4).fill('ä'.repeat(100)).join('/')}/...`;
      await context.store.put(key, text('x'));
      expect((await all(context.store.list(key.slice(0, 40)))).keys).toEqual([key]);
    });
  });
}

function describeLists(context: ContractContext): void {
  describe('lists', () => {
    it('are in the order of bytes, by prefix, in pages', async () => {
      const prefix = context.own();
      const names = ['a', 'a-b', 'b/c', 'b-d', 'b0', 'c/d/e', 'c/d/f', 'ä', '\u{1f600}', '\uff5e', 'Z'];
      for (const name of names) await context.store.put(`${prefix}${name}`, text(name));
      const sorted = names.map((name) => `${prefix}${name}`).sort((a, b) => Buffer.compare(text(a), text(b)));
      expect((await all(context.store.list(prefix))).keys).toEqual(sorted);
      const paged = await all(context.store.list(prefix, { pageSize: 2 }));
      expect([paged.keys, paged.pages]).toEqual([sorted, 6]);
      expect((await all(context.store.list(prefix, { startAfter: sorted[4] ?? '', pageSize: 3 }))).keys).toEqual(
        sorted.slice(5),
      );
      expect((await all(context.store.list(`${prefix}b`))).keys).toEqual(
        sorted.filter((key) => key.startsWith(`${prefix}b`)),
      );
      expect((await all(context.store.list(`${prefix}nothing`))).pages).toBe(0);
      const [first] = await Array.fromAsync(context.store.list(`${prefix}a`));
      const [info] = first?.objects ?? [];
      expect(info).toMatchObject({ size: 1, etag: (await context.store.head(`${prefix}a`)).etag });
    });

    it('put together what is below a slash', async () => {
      const prefix = context.own();
      for (const name of ['a', 'b/1', 'b/2', 'c/1/x', 'd']) await context.store.put(`${prefix}${name}`, text(name));
      const top = await all(context.store.list(prefix, { delimiter: '/' }));
      expect(top).toEqual({
        keys: ['a', 'd'].map((name) => `${prefix}${name}`),
        prefixes: ['b/', 'c/'].map((name) => `${prefix}${name}`),
        pages: 1,
      });
      expect((await all(context.store.list(`${prefix}b/`, { delimiter: '/' }))).keys).toEqual([
        `${prefix}b/1`,
        `${prefix}b/2`,
      ]);
      expect((await all(context.store.list(`${prefix}c`, { delimiter: '/' }))).prefixes).toEqual([`${prefix}c/`]);
    });

    it('forget what is deleted, one or many', async () => {
      const prefix = context.own();
      const keys = Array.from({ length: 25 }, (_, i) => `${prefix}wal/${String(i).padStart(3, '0')} <&>`);
      await Promise.all(keys.map(async (key) => await context.store.put(key, text(key))));
      await context.store.delete(keys[0] ?? '');
      await context.store.delete(keys[0] ?? '');
      await context.store.deleteMany(keys.slice(0, 20));
      expect((await all(context.store.list(prefix))).keys).toEqual(keys.slice(20));
      await context.store.deleteMany(keys);
      expect((await all(context.store.list(prefix))).keys).toEqual([]);
    });
  });
}
