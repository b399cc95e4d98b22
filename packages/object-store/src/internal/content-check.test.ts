import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ContentCheck } from './content-check.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

function compositeOf(bytes: Uint8Array, partSize: number): string {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += partSize) parts.push(sha256(bytes.subarray(at, at + partSize)));
  return `${sha256(Buffer.concat(parts)).toString('base64')}-${parts.length}`;
}

it('agrees with the digest of the whole and with that of its parts, however it is read', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 50 });
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 });
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 60 }), sizes, (content, partSize, steps) => {
      const whole = new ContentCheck({ sha256: sha256(content).toString('hex') });
      const inParts = new ContentCheck({ ofParts: compositeOf(content, partSize), partSize });
      for (let at = 0, i = 0; at < content.length; at += steps[i % steps.length] ?? 1, i += 1) {
        const chunk = content.subarray(at, at + (steps[i % steps.length] ?? 1));
        whole.update(chunk);
        inParts.update(chunk);
      }
      whole.finish('it', 'key');
      inParts.finish('it', 'key');
    }),
  );
});

it.each([
  ['a byte that differs', Buffer.from('abcdefgx')],
  ['a byte too few', Buffer.from('abcdefg')],
  ['nothing', Buffer.from('')],
])('sees %s', (_name, content) => {
  const right = Buffer.from('abcdefgh');
  const expected = [{ sha256: sha256(right).toString('hex') }, { ofParts: compositeOf(right, 3), partSize: 3 }];
  for (const digest of expected) {
    const check = new ContentCheck(digest);
    check.update(content);
    expect(() => check.finish('it', 'key')).toThrow(expect.objectContaining({ code: 'KUR_STORE_DIGEST', key: 'key' }));
  }
});
