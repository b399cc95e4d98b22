import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Part, Parts } from './parts.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function read(parts: Parts): Promise<Part[]> {
  const found: Part[] = [];
  for (let part = await parts.next(); part; part = await parts.next()) found.push(part);
  return found;
}

describe('parts', () => {
  it('are all of the body, each full but the last, from sources that use their buffers again', async () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 50 }), fc.boolean(), async (given, partSize, isStream) => {
        const whole = Buffer.concat(given);
        async function* source() {
          for (const chunk of given) {
            const buffer = Uint8Array.from(chunk);
            yield buffer;
            buffer.fill(0);
          }
        }
        const parts = new Parts(isStream ? source() : whole, partSize);
        const found = await read(parts);
        expect(Buffer.concat(found.map(({ bytes }) => bytes))).toEqual(whole);
        expect(found.map(({ number }) => number)).toEqual(found.map((_, i) => i + 1));
        expect(found.map(({ isLast }) => isLast)).toEqual(found.map((_, i) => i === found.length - 1));
        expect(found.slice(0, -1).every(({ bytes }) => bytes.length === partSize)).toBe(true);
        expect(found.map((part) => part.sha256)).toEqual(found.map(({ bytes }) => sha256(bytes)));
        expect([parts.size, parts.sha256]).toEqual([whole.length, sha256(whole)]);
      }),
    );
  });

  it('let go of a stream that is not read to its end', async () => {
    const stream = Readable.from([Buffer.alloc(10), Buffer.alloc(10), Buffer.alloc(10)]);
    const parts = new Parts(stream, 5);
    await parts.next();
    parts.close();
    expect(stream.destroyed).toBe(true);
  });
});
