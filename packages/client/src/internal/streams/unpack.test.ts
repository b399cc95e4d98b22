import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import fc from 'fast-check';
import { type Header, pack } from 'tar-stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { placeOf, unpack } from './unpack.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unpack-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function archive(...entries: (Partial<Header> & { name: string; content?: string })[]): Readable {
  const packing = pack();
  for (const { content = '', ...header } of entries) packing.entry(header, content);
  packing.finalize();
  return packing as unknown as Readable;
}

it('makes files and folders, and leaves links behind', async () => {
  const target = join(folder, 'target');
  const entries = archive(
    { name: 'app/', type: 'directory' },
    { name: 'app/run', content: 'hi', mode: 0o755 },
    { name: 'app/out', type: 'symlink', linkname: '/etc' },
    { name: 'app/out/passwd', content: 'evil' },
  );
  await unpack(entries, 'app', target);
  expect((await readdir(target, { recursive: true })).sort()).toEqual(['out', 'out/passwd', 'run']);
  expect(await readFile(join(target, 'out', 'passwd'), 'utf8')).toBe('evil');
  expect((await stat(join(target, 'run'))).mode & 0o777).toBe(0o755);
});

it.each(['../evil', '/etc/passwd', 'app/../../evil', 'other/file'])('refuses to write %s', async (name) => {
  await expect(unpack(archive({ name, content: 'x' }), 'app', join(folder, 'target'))).rejects.toMatchObject({
    code: 'KUR_CLIENT_BAD_RESPONSE',
  });
  expect(await readdir(folder)).toEqual([]);
});

it('never finds a place outside of the target', () => {
  const part = fc.constantFrom('..', '.', '', 'app', 'x', '/', '...');
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      try {
        const place = placeOf(parts.join('/'), 'app', '/target');
        expect(`${place}/`.startsWith('/target/')).toBe(true);
      } catch (error) {
        expect(error).toMatchObject({ code: 'KUR_CLIENT_BAD_RESPONSE' });
      }
    }),
  );
});
