import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fetchCrds, foreignCrds } from './foreign-crds.ts';

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: certificates.other.org, uid: '1', annotations: { noise: 'yes' } }
spec: { group: other.org, names: { kind: Certificate, plural: certificates } }
status: { acceptedNames: {} }
`;
const { signal } = new AbortController();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kurator-crds-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('takes definitions out of a file, and keeps what matters of them', async () => {
  await writeFile(join(folder, 'all.yaml'), `kind: Other\n---\n${crd}`);
  const [file, ...others] = await fetchCrds([join(folder, 'all.yaml')], signal);
  expect(others).toEqual([]);
  expect(file?.path).toBe('crds/certificates.other.org.yaml');
  expect(file?.text).toContain('group: other.org');
  expect(file?.text).not.toMatch(/uid|noise|status/);
});

it('finds what a project has, and is content with nothing', async () => {
  expect(await foreignCrds(folder)).toEqual([]);
  await mkdir(join(folder, 'crds'));
  await writeFile(join(folder, 'crds', 'a.yaml'), crd);
  expect((await foreignCrds(folder)).map(({ metadata }) => metadata.name)).toEqual(['certificates.other.org']);
});

it('says so where a file has no definition, is no YAML, or is not there', async () => {
  const file = join(folder, 'x.yaml');
  await writeFile(file, 'kind: Other\n');
  await expect(fetchCrds([file], signal)).rejects.toMatchObject({ code: 'KUR_CLI_CRD' });
  await writeFile(file, 'kind: [\n');
  await expect(fetchCrds([file], signal)).rejects.toMatchObject({ code: 'KUR_CLI_CRD' });
  await expect(fetchCrds([join(folder, 'none.yaml')], signal)).rejects.toMatchObject({ code: 'KUR_CLI_USAGE' });
});

it.each(['../../evil', 'a/b', 'certificates.other.org\nx'])(
  'refuses a definition called %j, which would be a path',
  async (name) => {
    await writeFile(join(folder, 'evil.yaml'), crd.replace('certificates.other.org', JSON.stringify(name)));
    await expect(fetchCrds([join(folder, 'evil.yaml')], signal)).rejects.toMatchObject({ code: 'KUR_CLI_CRD' });
  },
);
