import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programFacts } from '../project/program-facts.ts';
import { readProject } from '../project/project.ts';
import { compileProject } from './compile.ts';

const gadget = join(import.meta.dirname, '../../test/support/gadget');

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe('a bundle', () => {
  it('needs no packages, and brings the threads and files that the program names', async () => {
    const { main } = await compileProject(await readProject(gadget), await temporaryFolder());
    const { stdout } = await promisify(execFile)(process.execPath, [main, '--greet'], { cwd: tmpdir() });
    expect(stdout).toBe('the thread says hello\n');
  });

  it('keeps files apart that have the same name, its own package.json among them', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'a'));
    for (const [path, text] of Object.entries({
      'package.json': JSON.stringify({ name: 'two-files', kurator: { entry: 'main.mjs' } }),
      'text.txt': 'one',
      'a/text.txt': 'two',
      'main.mjs': `import { readFileSync } from 'node:fs';
        const read = (url) => readFileSync(url, 'utf8');
        console.log(read(new URL('./text.txt', import.meta.url)), read(new URL('./a/text.txt', import.meta.url)));
        console.log(JSON.parse(read(new URL('./package.json', import.meta.url))).name);`,
    })) {
      await writeFile(join(folder, path), text);
    }
    const { main } = await compileProject(await readProject(folder), await temporaryFolder());
    const { stdout } = await promisify(execFile)(process.execPath, [main], { cwd: tmpdir() });
    expect(stdout).toBe('one two\ntwo-files\n');
  });

  it('is the same each time', async () => {
    const project = await readProject(gadget);
    const [one, other] = [await temporaryFolder(), await temporaryFolder()];
    await compileProject(project, one);
    await compileProject(project, other);
    const filesOf = async (folder: string) => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length));
    };
    expect(await filesOf(other)).toEqual(await filesOf(one));
    for (const file of await filesOf(one)) {
      expect(await readFile(join(other, file), 'utf8')).toBe(await readFile(join(one, file), 'utf8'));
    }
  });

  it('tells what it is without a cluster', async () => {
    const folder = await temporaryFolder();
    const { main } = await compileProject(await readProject(gadget), folder);
    const { name, crds, webhooks, permissions } = await programFacts(main, folder);
    expect({ name, webhooks }).toEqual({ name: 'gadget-operator', webhooks: true });
    expect(crds.map(({ metadata }) => metadata.name)).toEqual(['gadgets.deploy-test.example.com']);
    expect(permissions.own.flatMap(({ resources }) => resources)).toContain('leases');
  });

  it.each([
    ['an import of what is not installed', `import 'nowhere-to-be-found';`, /nowhere-to-be-found/, /npm install/],
    ['a syntax error', 'const = 1;', /main.ts:1/, /mend it/],
  ])('is refused for %s', async (_, text, message, remedy) => {
    const folder = await temporaryFolder();
    await cp(gadget, folder, { recursive: true });
    await writeFile(join(folder, 'src/main.ts'), text);
    await mkdir(join(folder, 'out'));
    await expect(compileProject(await readProject(folder), join(folder, 'out'))).rejects.toMatchObject({
      code: 'KUR_CLI_BUNDLE',
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(remedy),
    });
  });

  it('is no operator if the program runs none', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'main.mjs'), "console.error('I am something else')");
    await expect(programFacts(join(folder, 'main.mjs'), folder)).rejects.toMatchObject({
      code: 'KUR_CLI_OPERATOR',
      message: expect.stringContaining('I am something else'),
    });
  });
});
