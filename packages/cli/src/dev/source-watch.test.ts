import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchSources } from './source-watch.ts';

let folder: string;
let saved: string[];
let stop: () => void;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kurator-watch-'));
  await mkdir(join(folder, 'web'));
  await writeFile(join(folder, 'web', 'a.ts'), '1');
  saved = [];
  stop = watchSources(folder, (path) => saved.push(path));
});
afterEach(async () => {
  stop();
  await rm(folder, { recursive: true, force: true });
});

const heard = (path: string) => expect.poll(() => saved, { timeout: 10_000 }).toContain(path);

it('hears of a file again and again, also after another was put in its place', async () => {
  for (const text of ['2', '3']) {
    await writeFile(join(folder, 'web', 'a.ts.tmp'), text);
    await rename(join(folder, 'web', 'a.ts.tmp'), join(folder, 'web', 'a.ts'));
    await heard('web/a.ts');
    saved.length = 0;
  }
  await writeFile(join(folder, 'web', 'a.ts'), '4');
  await heard('web/a.ts');
});

it('hears of files in a folder that was made later', async () => {
  await mkdir(join(folder, 'new'));
  await expect
    .poll(
      async () => {
        await writeFile(join(folder, 'new', 'b.ts'), String(Math.random()));
        return saved;
      },
      { timeout: 10_000, interval: 200 },
    )
    .toContain('new/b.ts');
});

it('does not take tests for sources', async () => {
  await writeFile(join(folder, 'web', 'a.test.ts'), '1');
  await writeFile(join(folder, 'web', 'z.ts'), '1');
  await heard('web/z.ts');
  expect(saved).not.toContain('web/a.test.ts');
});
