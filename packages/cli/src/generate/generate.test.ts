import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeSession } from '@kurator/command/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runCommandLine } from '../program.ts';

const root = join(import.meta.dirname, '../../../..');
const gadget = join(import.meta.dirname, '../../test/support/gadget');
let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'kurator-generate-'));
  await cp(gadget, project, { recursive: true });
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  vi.spyOn(process, 'cwd').mockReturnValue(project);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(project, { recursive: true, force: true });
});

async function generate(...args: string[]) {
  const session = fakeSession();
  await runCommandLine(['generate', '--verbose', ...args], session);
  return session.said;
}

const definition = (text: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: certificates.other.org }
spec:
  group: other.org
  names: { kind: Certificate, plural: certificates }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, description: ${text} } }
`;

it('replaces a definition that it brought in, but not what somebody has edited in it', async () => {
  const source = join(project, 'other.yaml');
  const brought = join(project, 'crds/certificates.other.org.yaml');
  for (const text of ['one', 'two']) {
    await writeFile(source, definition(text));
    expect(await generate('types', '--types-from', source)).toMatchObject({ code: 0 });
    expect(await readFile(brought, 'utf8')).toContain(text);
  }
  await appendFile(brought, '# mine\n');
  await writeFile(source, definition('three'));
  const { code, stderr } = await generate('types', '--types-from', source);
  expect(code).toBe(1);
  expect(stderr).toContain('KUR_CLI_EDITED');
  expect(await readFile(brought, 'utf8')).toContain('# mine');
}, 60_000);

it('takes the folder of a project before what is wanted, from anywhere', async () => {
  vi.spyOn(process, 'cwd').mockReturnValue(tmpdir());
  const { code, stdout, stderr } = await generate(project, 'crds', '--dry-run');
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('+++ b/deploy/crds/gadgets.deploy-test.example.com.yaml');
  expect(stdout).not.toContain('deploy/base');
  expect(await generate('crds', '--dry-run')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no package.json'),
  });
}, 60_000);

it('refuses to replace a file that was edited, and reports it as outdated where it only checks', async () => {
  expect(await generate('crds')).toMatchObject({ code: 0 });
  await appendFile(join(project, 'deploy/crds/gadgets.deploy-test.example.com.yaml'), '# mine\n');
  expect(await generate('crds')).toMatchObject({ code: 1, stderr: expect.stringContaining('KUR_CLI_EDITED') });
  const { code, stderr } = await generate('crds', '--check');
  expect(code).toBe(1);
  expect(stderr).toContain('outdated  deploy/crds/gadgets.deploy-test.example.com.yaml');
}, 60_000);
