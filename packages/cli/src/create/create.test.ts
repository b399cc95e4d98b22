import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeSession } from '@kurator/command/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { goldenText } from '../../test/golden-text.ts';
import { projectFiles } from '../init/project-files.ts';
import { runCommandLine } from '../program.ts';
import { type Project, readProject } from '../project/project.ts';
import { apiScaffold } from './api.ts';
import { conversionScaffold } from './conversion.ts';
import { type Scaffold, type ScaffoldOptions, writeScaffold } from './scaffold.ts';
import { webhooksScaffold } from './webhook.ts';

let project: Project;
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-create-'));
  const source = { sdk: '1', cli: '1', testenv: '1' };
  const files = await projectFiles({ name: 'web-operator', domain: 'example.com', source });
  await apply(folder, { files, edits: [] });
  project = await readProject(folder);
});
afterEach(() => rm(project.folder, { recursive: true, force: true }));

async function apply(folder: string, plan: Scaffold, options: ScaffoldOptions = {}, answer?: boolean): Promise<string> {
  let printed = '';
  const print = (text: string) => {
    printed += `${text}\n`;
  };
  const asked = answer === undefined ? undefined : { confirm: async () => answer, text: async () => '' };
  await writeScaffold({ print }, folder, plan, options, asked);
  return printed;
}

const api = { group: 'apps.example.com', version: 'v1alpha1', kind: 'MyApp', resource: true, controller: true };
const read = (path: string) => readFile(join(project.folder, path), 'utf8');
const all = ({ files, edits }: Scaffold) => goldenText([...files, ...edits]);

describe('kurator create', () => {
  it('api makes what is in its golden file', async () => {
    await expect(all(await apiScaffold(project, api))).toMatchFileSnapshot('../../test/golden/api.txt');
  });

  it('webhook makes what is in its golden file', async () => {
    await apply(project.folder, await apiScaffold(project, api));
    const plan = await webhooksScaffold(project, 'MyApp', ['validate', 'mutate']);
    await expect(all(plan)).toMatchFileSnapshot('../../test/golden/webhook.txt');
  });

  it('conversion makes what is in its golden file', async () => {
    await apply(project.folder, await apiScaffold(project, api));
    const plan = await conversionScaffold(project, 'MyApp', 'v1beta1');
    await expect(all(plan)).toMatchFileSnapshot('../../test/golden/conversion.txt');
  });

  it('works in the project that is named, from anywhere', async () => {
    const kurator = async (...args: string[]) => {
      const session = fakeSession();
      await runCommandLine(['create', ...args, project.folder], session);
      expect(session.said.code, session.said.stderr).toBe(0);
    };
    await kurator('api', '--group', 'apps', '--version', 'v1', '--kind', 'Note');
    await kurator('webhook', '--kind', 'Note', '--validate');
    await kurator('conversion', '--kind', 'Note', '--version', 'v2');
    expect(await read('src/operator.ts')).toContain('note');
    expect(await read('src/note/resource.ts')).toContain("'v2'");
  });

  it('changes nothing the second time', async () => {
    await apply(project.folder, await apiScaffold(project, api));
    const printed = await apply(project.folder, await apiScaffold(project, api));
    expect(
      printed
        .trim()
        .split('\n')
        .every((line) => line.startsWith('unchanged')),
    ).toBe(true);
  });

  it.each([
    ['keeps it where nobody can be asked', {}, undefined, 'mine', 'kept'],
    ['keeps it when the answer is no', {}, false, 'mine', 'kept'],
    ['replaces it when the answer is yes', {}, true, 'resource({', 'replaced'],
    ['replaces it with --overwrite', { overwrite: true }, undefined, 'resource({', 'replaced'],
  ])('finds a file that was changed, and %s', async (_, options, answer, content, word) => {
    await apply(project.folder, await apiScaffold(project, api));
    await writeFile(join(project.folder, 'src/myapp/resource.ts'), "mine: version: 'v1alpha1'");
    const printed = await apply(project.folder, await apiScaffold(project, api), options, answer);
    expect(printed).toContain(`${word.padEnd(9)} src/myapp/resource.ts`);
    expect(await read('src/myapp/resource.ts')).toContain(content);
  });

  it('prints a diff and writes nothing with --dry-run', async () => {
    const before = await read('src/operator.ts');
    const printed = await apply(project.folder, await apiScaffold(project, api), { dryRun: true });
    expect(printed).toContain('+++ b/src/myapp/resource.ts');
    expect(printed).toContain('+controlMyApp(theOperator);');
    expect(await read('src/operator.ts')).toBe(before);
    await expect(read('src/myapp/resource.ts')).rejects.toThrow('ENOENT');
  });

  it('points to conversion when a kind is there in another version', async () => {
    await apply(project.folder, await apiScaffold(project, api));
    await expect(apiScaffold(project, { ...api, version: 'v2' })).rejects.toMatchObject({
      code: 'KUR_CLI_USAGE',
      remedy: expect.stringContaining('create conversion --kind MyApp --version v2'),
    });
  });

  it('refuses webhooks and versions of a kind that is not there', async () => {
    await expect(webhooksScaffold(project, 'Other', ['validate'])).rejects.toMatchObject({ code: 'KUR_CLI_NO_KIND' });
    await expect(conversionScaffold(project, 'Other', 'v1')).rejects.toMatchObject({ code: 'KUR_CLI_NO_KIND' });
  });

  it('makes only what is wanted', async () => {
    const paths = ({ files, edits }: Scaffold) => [...files, ...edits].map(({ path }) => path);
    const schema = await apiScaffold(project, { ...api, controller: false });
    expect(paths(schema)).toEqual(['samples/myapp.yaml', 'src/myapp/resource.ts']);
    await expect(apiScaffold(project, { ...api, resource: false })).rejects.toMatchObject({ code: 'KUR_CLI_NO_KIND' });
    await apply(project.folder, schema);
    const controller = await apiScaffold(project, { ...api, resource: false });
    expect(paths(controller)).toEqual(['src/myapp/controller.test.ts', 'src/myapp/controller.ts', 'src/operator.ts']);
  });
});
