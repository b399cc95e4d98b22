/** The Node runtime layer: made of this machine's node and libraries, once, however many ask for it. */
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { imageFromNodeBundle, inspectArchive } from '../../src/images/index.ts';
import { openArchive } from '../../src/images/internal/open-archive.ts';
import { temporaryCache, temporaryFolder } from './temporary.ts';

async function bundle(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

async function entrypointOf(path: string): Promise<string[] | undefined> {
  return (await openArchive(path)).images[0]?.config.value.config?.Entrypoint;
}

describe.runIf(process.platform === 'linux')('imageFromNodeBundle', () => {
  it('starts the one file, the main of package.json, an index or what it is told', async () => {
    await temporaryCache();
    const folder = await bundle({ 'package.json': '{"main":"./app.js"}', 'app.js': '', 'index.js': '', 'x.mjs': '' });
    const plain = await bundle({ 'index.js': '' });
    const build = async (path: string, options = {}) =>
      (await entrypointOf((await imageFromNodeBundle(path, { name: 'app:v1' }, options)).path))?.at(-1);
    expect(await build(join(folder, 'x.mjs'))).toBe('/app/x.mjs');
    expect(await build(folder)).toBe('/app/app.js');
    expect(await build(plain)).toBe('/app/index.js');
    expect(await build(folder, { entry: 'x.mjs' })).toBe('/app/x.mjs');
  });

  it('shares one runtime layer between images, and makes it once for two processes that ask at once', async () => {
    const cache = await temporaryCache();
    const folder = await bundle({ 'one.js': '1', 'two.js': '2' });
    const script = `
      import { imageFromNodeBundle } from ${JSON.stringify(new URL('../../src/images/index.ts', import.meta.url).href)};
      let made = 0;
      const reporter = { info() {}, progress() {}, verbose: (text) => { if (text.startsWith('Making')) made += 1; } };
      const { path } = await imageFromNodeBundle(process.argv[1], { name: 'app:v1' }, { reporter });
      console.log(JSON.stringify({ path, made }));`;
    const inProcess = async (file: string) => {
      const args = ['--conditions=source', '--input-type=module', '-e', script, join(folder, file)];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      return JSON.parse(stdout) as { path: string; made: number };
    };
    const [one, two] = await Promise.all([inProcess('one.js'), inProcess('two.js')]);
    expect(one.made + two.made).toBe(1);
    const layers = await Promise.all([one, two].map(async ({ path }) => (await openArchive(path)).images[0]?.layers));
    expect(layers[0]?.[0]?.diffId).toBe(layers[1]?.[0]?.diffId);
    expect(layers[0]?.[1]?.diffId).not.toBe(layers[1]?.[1]?.diffId);
    for (const { path } of [one, two]) expect((await inspectArchive(path)).images).toHaveLength(1);
    expect(await readdir(join(cache, 'tmp'))).toEqual([]);
  });
});
