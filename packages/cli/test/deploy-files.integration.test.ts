// What is below deploy/ is made from the operators themselves. Brought up to date by: npx vitest run -u --project integration deploy-files
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject } from '@kurator/client';
import { sharedClient } from '@kurator/testenv';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { PlannedFile } from '../src/files/template.ts';
import { readBundle } from '../src/olm/bundle.ts';
import { findingsOf } from '../src/olm/rules/rules.ts';
import { deployFiles, root } from './support/deploy-files.ts';

let files: PlannedFile[];
beforeAll(async () => {
  files = await deployFiles();
});

describe('deploy/', () => {
  it('is what the operators say', async () => {
    for (const { path, text } of files) await expect(text).toMatchFileSnapshot(join(root, 'deploy', path));
  });

  it.each(['chart', 'manifests', 'bundle', 'bundle-etcd'])('has nothing in %s that nobody makes', async (folder) => {
    const made = new Set(files.map(({ path }) => path));
    const found = await readdir(join(root, 'deploy', folder), { recursive: true, withFileTypes: true });
    const paths = found
      .filter((entry) => entry.isFile() && entry.name !== 'README.md' && entry.name !== '.helmignore')
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, 'deploy').length + 1));
    expect(paths.filter((path) => !made.has(path))).toEqual([]);
  });

  it.each(['bundle', 'bundle-etcd'])('has a %s that OLM would take', async (folder) => {
    const findings = findingsOf(await readBundle(join(root, 'deploy', folder)));
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each([
    'manifests/kurator/base/deployment.yaml',
    'manifests/kurator/install/install.yaml',
    'bundle/manifests/kurator.clusterserviceversion.yaml',
  ])('has a healer that begins by observing, in %s too', (path) => {
    const text = files.find((file) => file.path === path)?.text ?? '';
    expect(text).toMatch(/^ +- name: KURATOR_MODE\n +value: Observe$/m);
  });

  it('has plain manifests that the API server accepts', async () => {
    await using client = await sharedClient();
    const text = files.find(({ path }) => path === 'manifests/kurator/install/install.yaml')?.text ?? '';
    const objects = parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
    // Its namespace is not there, and only checking makes none.
    const anywhere = ({ metadata, ...rest }: KubernetesObject) =>
      ({
        ...rest,
        metadata: { ...metadata, ...(metadata.namespace ? { namespace: 'default' } : {}) },
      }) as KubernetesObject;
    for (const object of objects.map(anywhere)) {
      const type = await client.discover(object.apiVersion, object.kind);
      const options = { fieldManager: 'deploy-files-test', force: true, dryRun: true };
      expect((await client.apply(type, object as never, options)).metadata.name).toBe(object.metadata.name);
    }
    expect(objects.map(({ kind }) => kind)).toContain('Deployment');
  });
});
