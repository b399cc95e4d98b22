import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { TestenvError } from '../error.ts';
import { mapNoSpace, requireSpace } from './disk-space.ts';

const exabyte = 1e18;

describe('requireSpace', () => {
  it('is content with what is there', async () => {
    await using folder = await temporaryFolder();
    await requireSpace('A test', [{ folder: folder.path, bytes: 1 }]);
  });

  it('adds up what goes to the same disk, and says how much is missing', async () => {
    await using folder = await temporaryFolder();
    const needs = [1, 2].map(() => ({ folder: folder.path, bytes: exabyte / 2 }));
    await expect(requireSpace('A test', needs)).rejects.toMatchObject({
      code: 'KUR_TESTENV_NO_SPACE',
      message: expect.stringMatching(/A test needs 1000000000\.0 GB .*; [\d.]+ GB are free/),
      remedy: expect.stringContaining('XDG_CACHE_HOME'),
    });
  });
});

describe('mapNoSpace', () => {
  it.each([
    Object.assign(new Error('write failed'), { code: 'ENOSPC' }),
    new TestenvError('KUR_TESTENV_GO', 'link: writing output: no space left on device'),
  ])('names %s for what it is', (error) => {
    expect(mapNoSpace(error, 'the build')).toMatchObject({ code: 'KUR_TESTENV_NO_SPACE', cause: error });
  });

  it('leaves any other error alone', () => {
    const error = new Error('something else');
    expect(mapNoSpace(error, 'the build')).toBe(error);
  });
});
