import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageFromFolder } from '@kurator/testenv';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sbomOf } from '../build/sbom.ts';
import { refuseOther } from './named-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kurator-named-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('lets a file be replaced that such a command wrote, and one that is empty or not there', async () => {
  const output = join(folder, 'image.tar');
  await refuseOther('--archive', output, 'an image archive');
  await imageFromFolder(folder, { name: 'demo:1' }, { output });
  await refuseOther('--archive', output, 'an image archive');
  const sbom = join(folder, 'sbom.json');
  await writeFile(sbom, '');
  await refuseOther('--sbom', sbom, 'a bill of materials');
  await writeFile(sbom, JSON.stringify(sbomOf({ name: 'demo', version: '1' }, []), undefined, 2));
  await refuseOther('--sbom', sbom, 'a bill of materials');
});

it('refuses a bill of materials that was made by something else, or with somebody’s help', async () => {
  const path = join(folder, 'sbom.json');
  const ours = JSON.stringify(sbomOf({ name: 'demo', version: '1' }, []), undefined, 2);
  for (const creators of ['"Tool: syft-1.0"', '"Tool: kurator-build",\n "Person: Ada"']) {
    await writeFile(path, ours.replace('"Tool: kurator-build"', creators));
    await expect(refuseOther('--sbom', path, 'a bill of materials')).rejects.toMatchObject({ code: 'KUR_CLI_EDITED' });
  }
  await writeFile(path, JSON.stringify(sbomOf({ name: `@demo/${'long-'.repeat(40)}`, version: '1' }, [])));
  await refuseOther('--sbom', path, 'a bill of materials');
});

it.each(['an image archive', 'a bill of materials'] as const)('refuses somebody’s file for %s', async (sort) => {
  const path = join(folder, 'main.ts');
  await writeFile(path, 'export {};');
  await expect(refuseOther('--archive', path, sort)).rejects.toMatchObject({ code: 'KUR_CLI_EDITED' });
  await expect(refuseOther('--archive', folder, sort)).rejects.toMatchObject({ code: 'KUR_CLI_WRITE' });
});
