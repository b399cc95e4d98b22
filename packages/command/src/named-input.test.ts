import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readNamed, withNamedFile } from './named-input.ts';

const piped = (content: string) => Readable.from([content]);

describe('-', () => {
  it('is what is piped in', async () => {
    expect(await readNamed('--values', '-', piped('a: 1'))).toBe('a: 1');
  });

  it('is a file for those who need one, and leaves nothing behind', async () => {
    let seen = '';
    const content = await withNamedFile(
      'archive',
      '-',
      async (path) => {
        seen = path;
        return await readFile(path, 'utf8');
      },
      { input: piped('an archive') },
    );
    expect(content).toBe('an archive');
    expect(existsSync(seen)).toBe(false);
  });

  it('is refused where nobody pipes anything in, with the flag', async () => {
    const terminal = Object.assign(new Readable({ read() {} }), { isTTY: true });
    const refused = { code: 'KUR_CLI_USAGE', message: expect.stringContaining('--sbom') };
    await expect(readNamed('--sbom', '-', terminal)).rejects.toMatchObject(refused);
    await expect(withNamedFile('--sbom', '-', async () => 1, { input: terminal })).rejects.toMatchObject(refused);
  });
});

it('reads a file by its name', async () => {
  const path = import.meta.filename;
  expect(await readNamed('--values', path)).toContain('reads a file by its name');
  expect(await withNamedFile('archive', path, async (given) => given)).toBe(path);
});
