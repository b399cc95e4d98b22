import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checked, SnapshotIntegrity } from './integrity.ts';

const database = Buffer.alloc(4096 * 3, 'etcd');
const whole = Buffer.concat([database, createHash('sha256').update(database).digest()]);

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = async (stream: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(stream));

describe('the integrity of a snapshot', () => {
  const judged = async (bytes: Buffer, size = 1000) => {
    const integrity = new SnapshotIntegrity();
    await read(checked(inChunks(bytes, size), integrity));
    return integrity.sha256;
  };

  it.each([1, 31, 33, 100_000])('is proved by its own digest: chunks of %i', async (size) => {
    expect(await judged(whole, size)).toBe(createHash('sha256').update(whole).digest('hex'));
  });

  it('is refused where it is cut off, damaged, or another file', async () => {
    await expect(judged(whole.subarray(0, -1))).rejects.toThrow('cut off');
    await expect(judged(whole.subarray(0, 4096 + 32))).rejects.toThrow('damaged');
    const damaged = Buffer.from(whole);
    damaged[100] = 1;
    await expect(judged(damaged)).rejects.toThrow('damaged');
    await expect(judged(Buffer.from('a letter'))).rejects.toThrow('another file');
  });
});
