import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap } from '@kurator/client';
import { operator } from '@kurator/runtime';
import { crdOf, referencePolicyOf, resource, secretKeyRef } from '@kurator/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { goldenText } from '../../test/golden-text.ts';
import { HEADER } from '../files/generated-file.ts';
import { digestOf } from '../files/record.ts';
import { writeFiles } from '../files/write-files.ts';
import { exampleSource } from '../olm/example-source.ts';
import { readProject } from '../project/project.ts';
import { generatorNames } from './command.ts';
import { known as knownOf } from './generate.ts';
import { planGeneration } from './generation.ts';
import type { Generator, Known } from './generator.ts';
import { generators } from './generators.ts';

const { z } = await import('@kurator/sdk');
const spec = z.object({ message: z.string().min(1) });
const MyApp = resource({ group: 'apps.example.com', version: 'v1alpha1', kind: 'MyApp', spec });
const web = operator({ name: 'web-operator' })
  .controller(MyApp)
  .owns(ConfigMap)
  .reconcile(() => {});

const known: Known = {
  operator: {
    name: web.name,
    crds: web.resources.map((each) => crdOf(each)),
    permissions: await web.permissions(),
    webhooks: false,
    image: 'web-operator:0.1.0',
    version: '0.1.0',
  },
  foreign: [crdOf(resource({ group: 'other.org', version: 'v1', kind: 'Certificate', spec }))],
  listing: exampleSource.listing,
  samples: [],
};

describe('what is known to them', () => {
  const { crds, bundle } = generators as { crds: Generator; bundle: Generator };
  const signal = new AbortController().signal;

  it('has no texts for a catalogue unless one of them wants them: what is wrong there stops nobody else', async () => {
    const gadget = await readProject(join(import.meta.dirname, '..', '..', 'test', 'support', 'gadget'));
    expect((await knownOf(gadget, [crds], {}, signal)).listing).toBeUndefined();
    await expect(knownOf(gadget, [crds, bundle], {}, signal)).rejects.toThrow('names not-there.svg');
  });
});

describe('the generators', () => {
  it('are those that can be typed', () => {
    expect(Object.keys(generators)).toEqual(generatorNames);
  });

  // The chart's text is held by tests of its own.
  it.each(Object.entries(generators).filter(([name]) => name !== 'chart'))(
    '%s makes what is in its golden file, all of it in its folder',
    async (name, one) => {
      const files = one.files(known);
      expect(files.every(({ path }) => path.startsWith(`${one.folder}/`))).toBe(true);
      await expect(goldenText(files)).toMatchFileSnapshot(`../../test/golden/generate-${name}.txt`);
    },
  );
});

it('calls the types of two kinds of one name after their groups too', () => {
  const more = crdOf(resource({ group: 'another.org', version: 'v1', kind: 'Certificate', spec }));
  const files = generators.types?.files({ ...known, foreign: [...known.foreign, more] }) ?? [];
  expect(files.map(({ path }) => path)).toEqual([
    'src/types/certificate.other.org.ts',
    'src/types/certificate.another.org.ts',
  ]);
});

describe('of a kind whose fields refer to other objects', () => {
  const Backup = resource({
    group: 'apps.example.com',
    version: 'v1',
    kind: 'Backup',
    spec: z.object({ passwordFrom: secretKeyRef().optional() }),
  });
  const referring = { ...known, operator: { ...known.operator, policies: referencePolicyOf(Backup) } };
  const text = (generator: string, path: string) =>
    generators[generator]?.files(referring).find((file) => file.path === path)?.text ?? '';

  it('there is a policy in the base, and in the file for kubectl', () => {
    expect(text('base', 'deploy/base/reference-policy.yaml')).toContain("resource('secrets')");
    expect(text('base', 'deploy/base/kustomization.yaml')).toContain('- reference-policy.yaml');
    expect(text('install', 'deploy/install/install.yaml')).toContain('kind: ValidatingAdmissionPolicyBinding');
  });

  it('there is one in the chart, which a value switches off', () => {
    const name = 'validatingadmissionpolicy-references.backups.apps.example.com';
    const template = text('chart', `deploy/chart/templates/operator/${name}.yaml`);
    expect(template).toContain('{{- if and .Values.operator.enabled .Values.operator.referencePolicy.enabled }}');
    expect(text('chart', 'deploy/chart/values.yaml')).toContain('referencePolicy:\n    enabled: true');
  });
});

it('makes nothing of kinds where there are none, which kustomize would refuse', () => {
  const none = { ...known, operator: { ...known.operator, crds: [] } };
  expect(generators.crds?.files(none)).toEqual([]);
  const files = generators.base?.files(none) ?? [];
  expect(files.find(({ path }) => path.endsWith('kustomization.yaml'))?.text).not.toContain('../crds');
});

describe('what has to change', () => {
  let folder: string;
  const all = Object.values(generators);
  const plan = (what = known) => planGeneration(folder, all, what);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kurator-generate-'));
    await writeFiles(folder, (await plan()).changes);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is nothing right after it was written', async () => {
    expect(await plan()).toEqual({ changes: [], kept: [] });
  });

  it('is a file that was changed, one that is missing, and one that is made no more', async () => {
    await rm(join(folder, 'deploy/base/deployment.yaml'));
    const { crds, base, types } = generators as Record<string, Generator>;
    const cluster = [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }];
    const operator = { ...known.operator, permissions: { ...known.operator.permissions, cluster } };
    const chosen = [crds, base, types] as Generator[];
    const { changes } = await planGeneration(folder, chosen, { ...known, operator, foreign: [] });
    const words = changes.map(({ path, before, after }) => [path, before !== undefined, after !== undefined]);
    expect(words).toEqual([
      ['deploy/base/rbac.yaml', true, true],
      ['deploy/base/deployment.yaml', false, true],
      ['deploy/base/.kurator-files.json', true, true],
      ['src/types/certificate.ts', true, false],
      ['src/types/.kurator-files.json', true, false],
    ]);
  });

  it('leaves files alone that people put beside', async () => {
    await mkdir(join(folder, 'deploy/base'), { recursive: true });
    await writeFile(join(folder, 'deploy/base/mine.yaml'), 'kind: Mine\n');
    expect(await plan()).toEqual({ changes: [], kept: [] });
  });

  it.each(Object.values(generators).map((each) => each.folder))(
    'leaves somebody’s files in %s alone',
    async (below) => {
      const somebodys = [`${below}/mine.txt`, `${below}/do-not-edit`, `${below}/templates/mine.yaml`];
      await mkdir(join(folder, below, 'templates'), { recursive: true });
      for (const path of somebodys) await writeFile(join(folder, path), '# do not edit\n');
      expect(await plan()).toEqual({ changes: [], kept: [] });
    },
  );

  it('is what was made once and is made no more, unless somebody has changed it: that is told once', async () => {
    await writeFile(join(folder, 'src/types/certificate.ts'), '// mine\n');
    const none = { ...known, foreign: [] };
    const { changes, kept } = await plan(none);
    expect(changes.map(({ path }) => path)).toEqual(['src/types/.kurator-files.json']);
    expect(kept).toEqual(['src/types/certificate.ts']);
    await writeFiles(folder, changes);
    expect(await plan(none)).toEqual({ changes: [], kept: [] });
  });

  it('is nothing outside of the folder, whatever its record says', async () => {
    await writeFile(join(folder, 'deploy/mine.yaml'), 'mine');
    const files = { '../mine.yaml': digestOf('mine'), [join(folder, 'deploy/mine.yaml')]: digestOf('mine') };
    const record = { operator: 'web-operator', files };
    await writeFile(join(folder, 'deploy/chart/.kurator-files.json'), JSON.stringify(record));
    const { changes, kept } = await plan();
    expect(changes.map(({ path }) => path)).toEqual(['deploy/chart/.kurator-files.json']);
    expect(kept).toEqual([]);
  });

  it('is refused where a link leads out of the folder', async () => {
    await rename(join(folder, 'deploy/bundle'), join(folder, 'elsewhere'));
    await symlink(join(folder, 'elsewhere'), join(folder, 'deploy/bundle'));
    await expect(plan()).rejects.toMatchObject({ code: 'KUR_CLI_OUTSIDE' });
  });

  it('takes nothing for its own where the record is damaged, or another operator’s', async () => {
    const record = join(folder, 'src/types/.kurator-files.json');
    await writeFile(record, '<<<<<<< HEAD');
    const { changes } = await plan({ ...known, foreign: [] });
    expect(changes.map(({ path }) => path)).toEqual(['src/types/.kurator-files.json']);
    await writeFile(record, JSON.stringify({ operator: 'other-operator', files: {} }));
    await expect(plan()).rejects.toMatchObject({ code: 'KUR_CLI_NOT_OURS' });
  });

  it('refuses to replace what it did not make', async () => {
    await writeFile(join(folder, 'deploy/base/rbac.yaml'), 'kind: Mine\n');
    await expect(plan()).rejects.toMatchObject({ code: 'KUR_CLI_EDITED' });
    const { changes } = await planGeneration(folder, all, known, { overwrite: true });
    expect(changes.map(({ path }) => path)).toEqual(['deploy/base/rbac.yaml']);
  });

  it('refuses to replace what was edited below a header, or has come from elsewhere with one', async () => {
    await writeFile(join(folder, 'deploy/base/rbac.yaml'), `${HEADER}kind: Mine\n`);
    await expect(plan()).rejects.toMatchObject({ code: 'KUR_CLI_EDITED' });
  });

  it('takes the word of a header where nothing was ever recorded, as in older projects', async () => {
    await writeFile(join(folder, 'deploy/base/rbac.yaml'), `${HEADER}kind: Older\n`);
    await rm(join(folder, 'deploy/base/.kurator-files.json'));
    const { changes } = await plan();
    expect(changes.map(({ path }) => path)).toEqual(['deploy/base/rbac.yaml', 'deploy/base/.kurator-files.json']);
  });

  it('refuses to replace what was edited in a file that has no header', async () => {
    await writeFile(join(folder, 'deploy/chart/values.yaml'), 'mine: true\n');
    await expect(plan()).rejects.toMatchObject({ code: 'KUR_CLI_EDITED' });
  });
});
