import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, temporaryCache, temporaryFolder } from '../../test/images/temporary.ts';
import { imageFromBinary } from './image-from-binary.ts';
import { openArchive } from './internal/open-archive.ts';
import { pauseProgram } from './internal/pause-program.ts';

async function program(bytes: Uint8Array | string, mode = 0o755): Promise<string> {
  const path = join(await temporaryFolder(), 'tool');
  await writeFile(path, bytes);
  await chmod(path, mode);
  return path;
}

const forArm = () => {
  const bytes = Buffer.from(pauseProgram('amd64'));
  bytes.writeUInt16LE(40, 18);
  return bytes;
};

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('imageFromBinary', () => {
  it('starts the program unless told otherwise', async () => {
    await temporaryCache();
    const path = await program(pauseProgram('amd64'));
    const entrypointOf = async (config: { entrypoint?: string[] }) => {
      const image = await imageFromBinary(path, { name: 'tool:v1', ...config });
      return (await openArchive(image.path)).images[0]?.config.value.config?.Entrypoint;
    };
    expect(await entrypointOf({})).toEqual(['/tool']);
    expect(await entrypointOf({ entrypoint: ['/tool', '--fast'] })).toEqual(['/tool', '--fast']);
  });

  it('refuses a dynamic program, naming its interpreter and the way out', async () => {
    const cache = await temporaryCache();
    await expect(imageFromBinary(process.execPath, { name: 'node:v1' })).rejects.toMatchObject({
      code: 'KUR_TESTENV_NOT_STATIC',
      message: expect.stringMatching(/needs \/lib.*ld-/),
      remedy: expect.stringContaining('imageFromPackages'),
    });
    expect(await filesBelow(cache)).toEqual([]);
  });

  it.each([
    ['a script', async () => await program('#!/bin/sh\n'), 'is not a Linux program'],
    ['a program for another machine', async () => await program(forArm()), 'for arm, not for amd64'],
    ['a file without the executable bit', async () => await program(pauseProgram('amd64'), 0o644), 'is not executable'],
    ['a folder', temporaryFolder, 'is not a file'],
    ['nothing', async () => '/nowhere/tool', 'is not there'],
  ])('refuses %s', async (_, path, message) => {
    await temporaryCache();
    await expect(imageFromBinary(await path(), { name: 'tool:v1' })).rejects.toMatchObject({
      code: 'KUR_TESTENV_IMAGE_SOURCE',
      message: expect.stringContaining(message),
      remedy: expect.any(String),
    });
  });
});
