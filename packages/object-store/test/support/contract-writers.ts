/** The part of the contract that is about many writers, and about those who are interrupted. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ObjectStore, PutOptions } from '../../src/index.ts';
import { all, type ContractContext, digest, inPieces, MiB, text } from './contract-context.ts';

/** Conditions and uploads. */
export function describeWriters(context: ContractContext): void {
  describe('conditions', () => {
    it('creates only what is not there', async () => {
      const key = `${context.own()}object`;
      await context.store.put(key, text('first'), { ifAbsent: true });
      await expect(context.store.put(key, text('second'), { ifAbsent: true })).rejects.toMatchObject({
        code: 'KUR_STORE_EXISTS',
        key,
      });
      // The same content is somebody else's all the same.
      await expect(context.store.put(key, text('first'), { ifAbsent: true })).rejects.toMatchObject({
        code: 'KUR_STORE_EXISTS',
      });
      expect(String(await context.read(key))).toBe('first');
    });

    it('replaces only what it has seen', async () => {
      const key = `${context.own()}object`;
      const { etag } = await context.store.put(key, text('first'));
      const second = await context.store.put(key, text('second'), { ifMatch: etag });
      await expect(context.store.put(key, text('third'), { ifMatch: etag })).rejects.toMatchObject({
        code: 'KUR_STORE_CHANGED',
        key,
      });
      await expect(context.store.get(key, { ifMatch: etag })).rejects.toMatchObject({ code: 'KUR_STORE_CHANGED' });
      expect(String(await (await context.store.get(key, { ifMatch: second.etag })).bytes())).toBe('second');
      await context.store.delete(key);
      await expect(context.store.put(key, text('x'), { ifMatch: etag })).rejects.toMatchObject({
        code: 'KUR_STORE_CHANGED',
      });
    });

    it('also in parts', async () => {
      const key = `${context.own()}object`;
      const options = { partSize: 5 * MiB };
      const [first, second] = [randomBytes(11 * MiB), randomBytes(11 * MiB)];
      const { etag } = await context.store.put(key, inPieces(first), { ...options, ifAbsent: true });
      const again = context.store.put(key, inPieces(second), { ...options, ifAbsent: true });
      await expect(again).rejects.toMatchObject({ code: 'KUR_STORE_EXISTS' });
      await context.store.put(key, inPieces(second), { ...options, ifMatch: etag });
      const late = context.store.put(key, inPieces(first), { ...options, ifMatch: etag });
      await expect(late).rejects.toMatchObject({ code: 'KUR_STORE_CHANGED' });
      expect(digest(await context.read(key))).toBe(digest(second));
      expect(await Array.fromAsync(context.store.listUploads(key))).toEqual([]);
    });

    it.each([
      ['small objects', 10],
      ['objects in parts', 6 * MiB],
    ])('of many writers of %s exactly one creates', async (_name, size) => {
      const key = `${context.own()}object`;
      const bodies = Array.from({ length: 8 }, () => randomBytes(size));
      const clients = bodies.map(() => context.client());
      const results = await Promise.allSettled(
        bodies.map(
          async (body, i) => await clients[i]?.put(key, inPieces(body), { ifAbsent: true, partSize: 5 * MiB }),
        ),
      );
      const winners = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []));
      expect(winners).toHaveLength(1);
      const losers = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
      expect(new Set(losers)).toEqual(new Set(['KUR_STORE_EXISTS']));
      expect(digest(await context.read(key))).toBe(digest(bodies[winners[0] ?? -1] ?? text('')));
    });

    it('counts right with many who count', async () => {
      const key = `${context.own()}counter`;
      await context.store.put(key, text('0'));
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
      const clients = Array.from({ length: 4 }, () => context.client());
      await Promise.all(
        clients.map(async (mine) => {
          for (let i = 0; i < 5; i += 1) await increment(mine);
        }),
      );
      expect(String(await context.read(key))).toBe('20');
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
      const key = `${context.own()}snapshot`;
      const bytes = randomBytes(3 * partSize + 1000);
      const options = { token: 'backup-7', partSize, parallel: 1, ifAbsent: true };
      await expect(context.store.put(key, broken(bytes, 2.5 * partSize), options)).rejects.toThrow('killed');
      const [pending, ...others] = await Array.fromAsync(context.store.listUploads(key));
      expect([pending?.key, others]).toEqual([key, []]);
      const again = context.client();
      const info = await again.put(key, inPieces(bytes), options);
      expect(info).toMatchObject({ size: bytes.length, sha256: digest(bytes) });
      expect(digest(await context.read(key))).toBe(digest(bytes));
      expect(await Array.fromAsync(context.store.listUploads(key))).toEqual([]);
      // Done is done, for who has the token; for others it exists.
      expect((await again.put(key, inPieces(bytes), options)).etag).toBe(info.etag);
      const stranger = again.put(key, inPieces(bytes), { ...options, token: 'backup-8' });
      await expect(stranger).rejects.toMatchObject({ code: 'KUR_STORE_EXISTS' });
    });

    it('with the same token and other content become that content', async () => {
      const key = `${context.own()}snapshot`;
      const [first, second] = [randomBytes(4 * partSize), randomBytes(2 * partSize + 5)];
      const options = { token: 'backup-7', partSize };
      await expect(context.store.put(key, broken(first, first.length), options)).rejects.toThrow('killed');
      await context.store.put(key, inPieces(second), options);
      expect(digest(await context.read(key))).toBe(digest(second));
    });

    it('succeed with another part size, digest and metadata than they were begun with', async () => {
      const bytes = randomBytes(20 * MiB);
      const changes: [before: PutOptions, after: PutOptions][] = [
        [{ partSize }, { partSize: 8 * MiB }],
        [
          { partSize, sha256: '0'.repeat(64) },
          { partSize, sha256: digest(bytes) },
        ],
        [
          { partSize, metadata: { release: '1' } },
          { partSize, metadata: { release: '2' } },
        ],
      ];
      for (const [before, after] of changes) {
        const key = `${context.own()}snapshot`;
        const breaking = context.store.put(key, broken(bytes, 17 * MiB), { ...before, token: 'backup-7', parallel: 1 });
        await expect(breaking).rejects.toThrow('killed');
        await context.client().put(key, inPieces(bytes), { ...after, token: 'backup-7' });
        expect(digest(await context.read(key))).toBe(digest(bytes));
        expect((await context.store.head(key)).metadata).toEqual(after.metadata ?? {});
        expect(await Array.fromAsync(context.store.listUploads(key))).toEqual([]);
      }
    });

    it('with the same token at the same time end as one', async () => {
      const key = `${context.own()}snapshot`;
      const bytes = randomBytes(2 * partSize + 1000);
      const options = { token: 'backup-7', partSize, ifAbsent: true };
      const results = await Promise.all(
        [1, 2, 3].map(async () => await context.client().put(key, inPieces(bytes), options)),
      );
      expect(new Set(results.map(({ etag }) => etag)).size).toBe(1);
      expect(digest(await context.read(key))).toBe(digest(bytes));
    });

    it('with another token leave each other alone', async () => {
      const key = `${context.own()}snapshot`;
      const bytes = randomBytes(3 * partSize);
      await expect(context.store.put(key, broken(bytes, bytes.length), { token: 'a', partSize })).rejects.toThrow(
        'killed',
      );
      await context.store.put(key, inPieces(bytes), { token: 'b', partSize });
      expect(await Array.fromAsync(context.store.listUploads(key))).toHaveLength(1);
    });

    it('that are abandoned are listed and aborted', async () => {
      const prefix = context.own();
      const bytes = randomBytes(3 * partSize);
      for (const name of ['b', 'a'])
        await expect(
          context.store.put(`${prefix}${name}`, broken(bytes, bytes.length), { token: name, partSize }),
        ).rejects.toThrow();
      const pending = await Array.fromAsync(context.store.listUploads(prefix));
      expect(pending.map(({ key }) => key)).toEqual([`${prefix}a`, `${prefix}b`]);
      expect(pending.every(({ startedAt }) => Math.abs(Date.now() - startedAt.getTime()) < 600_000)).toBe(true);
      for (const upload of [...pending, ...pending]) await context.store.abortUpload(upload);
      expect(await Array.fromAsync(context.store.listUploads(prefix))).toEqual([]);
      expect((await all(context.store.list(prefix))).keys).toEqual([]);
    });
  });
}
