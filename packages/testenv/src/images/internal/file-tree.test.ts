import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { blobOfBytes, MEDIA_TYPE } from '@kurator/registry';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/images/temporary.ts';
import { placeOn, readFileTree } from './file-tree.ts';
import { type Layer, writeLayer } from './layer.ts';
import { fileEntry, type TarEntry } from './tar-writer.ts';

async function layer(...entries: TarEntry[]): Promise<Layer> {
  return await writeLayer(entries, join(await temporaryFolder(), 'layer.tar'));
}

const folder = (path: string): TarEntry => ({ path, type: 'directory', mode: 0o755 });
const link = (path: string, linkname: string): TarEntry => ({ path, type: 'symlink', mode: 0o777, linkname });
const file = (path: string) => fileEntry(path, 'x');

async function placed(layers: Layer[], ...entries: TarEntry[]): Promise<string[]> {
  return placeOn(await readFileTree(layers), entries).map((entry) => entry.path);
}

describe('placeOn', () => {
  it('follows the links of the layers below, so that they stay links', async () => {
    const debian = await layer(folder('usr'), folder('usr/bin'), link('bin', 'usr/bin'), link('sbin', '/bin'));
    expect(await placed([debian], file('bin/tool'), file('sbin/daemon'))).toEqual(['usr/bin/tool', 'usr/bin/daemon']);
  });

  it('leaves out folders that are there already, also those behind a link', async () => {
    const base = await layer(folder('./tmp/'), link('lib', 'usr/lib'), file('usr/lib/x'));
    expect(await placed([base], folder('tmp'), folder('lib'), folder('lib/new'))).toEqual(['usr/lib/new']);
  });

  it('replaces a link by a file of the same name', async () => {
    expect(await placed([await layer(link('etc/motd', '/run/motd'))], file('etc/motd'))).toEqual(['etc/motd']);
  });

  it('follows hard links too', async () => {
    const below = await readFileTree([await layer(link('bin', 'usr/bin'))]);
    const entries = [file('bin/a'), { path: 'bin/b', type: 'link', mode: 0o644, linkname: 'bin/a' } as const];
    expect(placeOn(below, entries)[1]).toMatchObject({ path: 'usr/bin/b', linkname: 'usr/bin/a' });
  });

  it('never leaves the root, and survives links that go in circles', async () => {
    const base = await layer(link('up', '../../../etc'), link('a', 'b'), link('b', 'a'));
    expect(await placed([base], file('up/x'))).toEqual(['etc/x']);
    expect(await placed([base], file('a/x'))).toHaveLength(1);
  });

  it('knows what a higher layer has deleted or replaced', async () => {
    const lower = await layer(link('bin', 'usr/bin'), link('lib', 'usr/lib'), folder('opt'), link('opt/x', '/srv'));
    const upper = await layer(file('.wh.bin'), folder('lib'), file('opt/.wh..wh..opq'));
    const paths = await placed([lower, upper], file('bin/a'), file('lib/a'), file('opt/x/a'));
    expect(paths).toEqual(['bin/a', 'lib/a', 'opt/x/a']);
  });

  it('reads compressed layers', async () => {
    const path = join(await temporaryFolder(), 'layer.tar');
    const { diffId } = await writeLayer([link('bin', 'usr/bin')], path);
    const blob = blobOfBytes(gzipSync(await readFile(path)));
    expect(await placed([{ mediaType: MEDIA_TYPE.layerGzip, diffId, blob }], file('bin/a'))).toEqual(['usr/bin/a']);
  });
});
