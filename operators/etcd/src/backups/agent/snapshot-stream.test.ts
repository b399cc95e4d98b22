import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checked, SnapshotIntegrity } from './integrity.ts';
import { snapshotBytes } from './snapshot-stream.ts';

const database = Buffer.alloc(4096 * 3, 'etcd');
const whole = Buffer.concat([database, createHash('sha256').update(database).digest()]);

const line = (blob: Buffer, remaining: number) =>
  `${JSON.stringify({ result: { remaining_bytes: String(remaining), blob: blob.toString('base64') } })}\n`;
const text =
  line(database.subarray(0, 5000), database.length - 5000) +
  line(database.subarray(5000), 0) +
  line(whole.subarray(database.length), 0);

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = async (stream: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(stream));

describe('a snapshot from the gateway', () => {
  it.each([1, 7, 4096, 1_000_000])('is the same however it is cut: chunks of %i', async (size) => {
    const bytes = await read(snapshotBytes(inChunks(Buffer.from(text), size)));
    expect(bytes.equals(whole)).toBe(true);
  });

  it('is none where etcd broke it off', async () => {
    const broken = `${line(database.subarray(0, 512), 100)}{"error":{"message":"stopped"}}\n`;
    await expect(read(snapshotBytes(inChunks(Buffer.from(broken), 100)))).rejects.toThrow('stopped');
    const cut = line(database.subarray(0, 512), database.length - 512);
    await expect(read(snapshotBytes(inChunks(Buffer.from(cut), 100)))).rejects.toThrow('cut off');
  });
});

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
