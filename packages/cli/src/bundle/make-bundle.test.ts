import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeSession } from '@kurator/command/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../program.ts';

const root = join(import.meta.dirname, '../../../..');
const gadget = join(import.meta.dirname, '../../test/support/gadget');
let place: string;
let project: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'kurator-bundle-'));
  project = join(place, 'project');
  await cp(gadget, project, { recursive: true });
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'gadget-operator', version: '1.2.0' }));
  vi.spyOn(process, 'cwd').mockReturnValue(project);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(place, { recursive: true, force: true });
});

async function bundle(...args: string[]) {
  const session = fakeSession();
  await runCommandLine(['bundle', '--verbose', ...args], session);
  return session.said;
}

const made = 'manifests/gadget-operator.clusterserviceversion.yaml';

describe('kurator bundle --output-dir', () => {
  it('leaves every file of somebody’s in the folder as it is, also the second time', async () => {
    const output = join(place, 'theirs');
    const theirs = ['notes.txt', 'manifests/theirs.yaml', '.git/HEAD', 'tests/scorecard/theirs.yaml'];
    for (const path of theirs) {
      await mkdir(join(output, path, '..'), { recursive: true });
      await writeFile(join(output, path), 'theirs');
    }
    for (const image of ['gadget:1', 'gadget:2']) {
      await bundle('--output-dir', output, '--image', image);
      expect(await readFile(join(output, made), 'utf8')).toContain(image);
      for (const path of theirs) expect(await readFile(join(output, path), 'utf8')).toBe('theirs');
    }
  });

  it.each(['.', '..', '/', './src/..'])(
    'refuses %s, which is no folder for a bundle alone, and touches nothing',
    async (output) => {
      const before = await readdir(project);
      expect(await bundle('--output-dir', output)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('KUR_CLI_USAGE'),
      });
      expect(await readdir(project)).toEqual(before);
    },
  );

  it('is below the project that is named, from anywhere', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue(tmpdir());
    await bundle(project, '--output-dir', 'out');
    expect(await readFile(join(project, 'out', made), 'utf8')).toContain('gadget-operator');
  });

  it('refuses the project under another name of it', async () => {
    await symlink(place, join(place, 'other-name'));
    expect(await bundle('--output-dir', join(place, 'other-name/project'))).toMatchObject({ code: 2 });
  });
});
