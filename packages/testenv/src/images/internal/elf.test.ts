import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/images/temporary.ts';
import { readElf } from './elf.ts';
import { pauseProgram } from './pause-program.ts';

async function written(bytes: Uint8Array): Promise<string> {
  const file = join(await temporaryFolder(), 'program');
  await writeFile(file, bytes);
  return file;
}

describe('readElf', () => {
  it('finds no interpreter in a static program', async () => {
    const file = await written(pauseProgram('amd64'));
    expect(await readElf(file)).toEqual({ architecture: 'amd64', isProgram: true, interpreter: undefined });
  });

  it.runIf(process.platform === 'linux')('names the interpreter of a dynamic program', async () => {
    expect(await readElf(process.execPath)).toMatchObject({
      isProgram: true,
      interpreter: expect.stringMatching(/^\/.*ld/),
    });
  });

  it('reads 32-bit big-endian programs too', async () => {
    const bytes = Buffer.alloc(52);
    bytes.write('\x7fELF\x01\x02\x01', 'latin1');
    bytes.writeUInt16BE(2, 16);
    bytes.writeUInt16BE(20, 18);
    expect(await readElf(await written(bytes))).toMatchObject({ architecture: 'machine 20', isProgram: true });
  });

  it.each([
    ['a script', '#!/bin/sh\n'],
    ['nothing', ''],
    ['half a header', '\x7fEL'],
  ])('is undefined for %s', async (_, bytes) => {
    expect(await readElf(await written(Buffer.from(bytes, 'latin1')))).toBeUndefined();
  });

  it('survives rubbish behind a good start', async () => {
    const file = await written(Buffer.alloc(0));
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(1, 2), async (rubbish, bits) => {
        await writeFile(file, Buffer.concat([Buffer.from('\x7fELF', 'latin1'), Buffer.from([bits, 1, 1]), rubbish]));
        expect(await readElf(file)).toBeDefined();
      }),
    );
  });
});
