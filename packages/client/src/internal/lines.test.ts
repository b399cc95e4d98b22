import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineCutter, linesOf } from './lines.ts';

async function* cut(bytes: Uint8Array, sizes: readonly number[]) {
  let start = 0;
  for (const size of sizes) {
    yield bytes.subarray(start, start + size);
    start += size;
  }
  yield bytes.subarray(start);
}

async function linesIn(bytes: Uint8Array, sizes: readonly number[]) {
  const lines = [];
  for await (const line of linesOf(cut(bytes, sizes))) lines.push(line);
  return lines;
}

it('finds the same lines however the bytes were cut, also inside a character', async () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat({ max: 9 })), async (lines, sizes) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      expect(await linesIn(bytes, sizes)).toEqual(lines);
    }),
  );
});

it('gives the rest after the last newline as a line', async () => {
  expect(await linesIn(Buffer.from('a\n\nb'), [1])).toEqual(['a', '', 'b']);
});

it('copies no byte of a line that came in one piece', () => {
  const chunk = Buffer.from('one\ntwo\nthr');
  const cutter = lineCutter();
  const [one, two] = cutter.cut(chunk);
  expect([one?.buffer, two?.buffer]).toEqual([chunk.buffer, chunk.buffer]);
  expect([one?.byteOffset, two?.byteOffset]).toEqual([chunk.byteOffset, chunk.byteOffset + 4]);
  expect(cutter.rest()?.length).toBe(3);
  expect(cutter.rest()).toBeUndefined();
});
