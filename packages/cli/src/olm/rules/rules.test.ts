import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { KubernetesObject } from '@kurator/client';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Bundle, bundleOf, readBundle } from '../bundle.ts';
import { bundleFiles } from '../bundle-files.ts';
import type { ClusterServiceVersion } from '../cluster-service-version.ts';
import { exampleSource } from '../example-source.ts';
import { findingsOf } from './rules.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** Our own example on disk, with other or more files. */
async function bundleWith(changed: Record<string, string> = {}): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  folders.push(folder);
  const files = new Map(bundleFiles(exampleSource).map(({ path, text }) => [path, text]));
  for (const [path, text] of [...files, ...Object.entries(changed)]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return await readBundle(folder);
}

type Change = (csv: ClusterServiceVersion, bundle: Bundle) => void;

/** What is said of our example after a change; each finding as `severity at`. */
async function after(change: Change): Promise<string[]> {
  const bundle = await bundleWith();
  const [csv] = bundle.csvs;
  if (csv) change(csv, bundle);
  return findingsOf(bundle).map(({ severity, at }) => `${severity} ${at}`);
}

/** Any JSON in which the names of our fields come up, so that it goes deep. */
function likeOurs(example: unknown): fc.Arbitrary<unknown> {
  if (typeof example !== 'object' || example === null) return fc.oneof(fc.constant(example), fc.jsonValue());
  const inner = Array.isArray(example)
    ? fc.tuple(...example.map(likeOurs))
    : fc.record(Object.fromEntries(Object.entries(example).map(([name, field]) => [name, likeOurs(field)])), {
        requiredKeys: [],
      });
  return fc.oneof({ weight: 12, arbitrary: inner }, { weight: 1, arbitrary: fc.jsonValue() });
}

it('throws for nothing that a ClusterServiceVersion or a definition may hold', async () => {
  const bundle = await bundleWith();
  const anyLike = (object: object | undefined) =>
    fc.tuple(likeOurs(object), fc.jsonValue()).map(([changed, annotations]) => {
      const { apiVersion, kind, metadata } = object as KubernetesObject;
      const given = (changed as { metadata?: object } | null)?.metadata;
      return { ...(changed as object), apiVersion, kind, metadata: { annotations, ...given, name: metadata.name } };
    });
  fc.assert(
    fc.property(anyLike(bundle.csvs[0]), anyLike(bundle.crds[0]), (csv, crd) => {
      const found = findingsOf({ ...bundle, csvs: [csv], crds: [crd] } as unknown as Bundle);
      expect(found.filter(({ at, remedy }) => at === '' || remedy === '')).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

it('throws for nothing that annotations may hold', () => {
  const annotations = fc.oneof(fc.jsonValue(), fc.record({ annotations: fc.jsonValue() }));
  fc.assert(
    fc.property(annotations, (described) => void findingsOf(bundleOf([], JSON.stringify(described)))),
    { numRuns: 100 },
  );
});

it('finds nothing wrong with what we make ourselves', async () => {
  expect(findingsOf(await bundleWith())).toEqual([]);
});

const owned = 'spec.customresourcedefinitions.owned';
const annotation = (name: string, value: string): Change => {
  return (_, { annotations }) => {
    (annotations as Record<string, string>)[`operators.operatorframework.io.bundle.${name}`] = value;
  };
};
const said = (name: string, value: string | undefined): Change => {
  return ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [name]: value ?? '' };
  };
};

const cases: [string, Change, string[]][] = [
  ['another media type', annotation('mediatype.v1', 'plain'), ['error metadata/annotations.yaml']],
  ['another folder', annotation('manifests.v1', 'elsewhere/'), ['error metadata/annotations.yaml']],
  ['no package', annotation('package.v1', ''), ['error metadata/annotations.yaml']],
  ['a default channel that is none', annotation('channel.default.v1', 'x'), ['error metadata/annotations.yaml']],
  ['a version that is none', ({ spec }) => (spec.version = 'one'), ['error spec.version', 'error metadata.name']],
  ['a name of another version', ({ metadata }) => (metadata.name = 'a.v2.0.0'), ['error metadata.name']],
  ['replacing itself', (csv) => (csv.spec.replaces = csv.metadata.name), ['error spec.replaces']],
  ['a Kubernetes version that is none', ({ spec }) => (spec.minKubeVersion = '1.30'), ['error spec.minKubeVersion']],
  ['no name', ({ spec }) => (spec.displayName = ''), ['error spec.displayName']],
  ['no description', ({ spec }) => (spec.description = ''), ['error spec.description']],
  ['no provider', ({ spec }) => (spec.provider.name = ''), ['error spec.provider.name']],
  ['nobody who maintains it', ({ spec }) => (spec.maintainers = []), ['error spec.maintainers']],
  ['a wrong address', ({ spec }) => (spec.maintainers = [{ name: 'A', email: 'x' }]), ['error spec.maintainers']],
  [
    'an icon that is none',
    ({ spec }) => (spec.icon = [{ base64data: '!', mediatype: 'image/png' }]),
    ['error spec.icon'],
  ],
  ['a link to nowhere', ({ spec }) => (spec.links = [{ name: 'x', url: 'nowhere' }]), ['error spec.links']],
  ['no keywords', ({ spec }) => (spec.keywords = []), ['warning spec.keywords']],
  ['a level that is none', said('capabilities', 'Six'), ['error metadata.annotations.capabilities']],
  ['an unknown category', said('categories', 'Gardening'), ['error metadata.annotations.categories']],
  ['a long summary', said('description', 'x'.repeat(136)), ['warning metadata.annotations.description']],
  ['an install mode too few', ({ spec }) => void spec.installModes.pop(), ['error spec.installModes']],
  [
    'no install mode that works',
    ({ spec }) => {
      for (const mode of spec.installModes) mode.supported = false;
    },
    ['error spec.installModes'],
  ],
  ['no Deployment', ({ spec }) => (spec.install.spec.deployments = []), ['error spec.install.spec.deployments']],
  [
    'an image by its tag',
    (csv) => {
      const [container] = csv.spec.install.spec.deployments[0]?.spec.template.spec?.containers ?? [];
      if (container) container.image = 'a:1';
    },
    ['warning spec.install.spec.deployments'],
  ],
  [
    'a right to everything',
    ({ spec }) => void spec.install.spec.permissions[0]?.rules.push({ verbs: ['*'] }),
    ['warning spec.install.spec.permissions'],
  ],
  ['no definition', (_, bundle) => void (bundle.crds as unknown[]).pop(), [`error ${owned}`]],
  [
    'a definition that is not owned',
    ({ spec, metadata }) => {
      spec.customresourcedefinitions.owned = [];
      metadata.annotations = { ...metadata.annotations, 'alm-examples': '[]' };
    },
    [`error ${owned}`],
  ],
  [
    'a field that is not there',
    ({ spec }) => {
      const [garden] = spec.customresourcedefinitions.owned;
      if (garden) garden.specDescriptors = [{ path: 'soil.colour', displayName: 'Colour' }];
    },
    [`error ${owned}[gardens.example.com]`],
  ],
  ['no example', said('alm-examples', '[]'), ['warning metadata.annotations.alm-examples']],
  ['examples that are no JSON', said('alm-examples', '[{'), ['error metadata.annotations.alm-examples']],
  [
    'an example of something else',
    ({ metadata }) => {
      const examples = JSON.parse(metadata.annotations?.['alm-examples'] ?? '') as object[];
      const other = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } };
      metadata.annotations = { ...metadata.annotations, 'alm-examples': JSON.stringify([...examples, other]) };
    },
    ['error metadata.annotations.alm-examples'],
  ],
];

describe('finds', () => {
  it.each(cases)('%s', async (_, change, expected) => {
    expect(await after(change)).toEqual(expected);
  });

  it('a Deployment without a spec, by its field', async () => {
    const found = await after(({ spec }) => {
      const [deployment] = spec.install.spec.deployments;
      if (deployment) Reflect.deleteProperty(deployment, 'spec');
    });
    expect(found).toEqual(['error spec.install.spec.deployments[0].spec.template.spec']);
  });

  it.each<[string, Change, string]>([
    ['a version that is a number', ({ spec }) => Object.assign(spec, { version: 1 }), 'error spec.version'],
    ['maintainers that are a text', ({ spec }) => Object.assign(spec, { maintainers: 'me' }), 'error spec.maintainers'],
    ['an icon that is a list in a list', ({ spec }) => Object.assign(spec, { icon: [[]] }), 'error spec.icon[0]'],
    ['a spec that is a list', (csv) => Object.assign(csv, { spec: [] }), 'error spec'],
  ])('%s, by its field', async (_, change, expected) => {
    expect(await after(change)).toContain(expected);
  });

  it('a file that is no YAML, a kind that OLM can’t install, and an object that is there twice', async () => {
    const broken = await bundleWith({ 'manifests/broken.yaml': 'a: [1' });
    expect(findingsOf(broken)).toMatchObject([{ severity: 'error', at: 'manifests/broken.yaml' }]);
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n';
    const strange = await bundleWith({ 'manifests/pod.yaml': pod, 'manifests/pod-again.yaml': pod });
    expect(findingsOf(strange).map(({ at }) => at)).toEqual([
      'manifests/pod-again.yaml',
      'manifests/pod.yaml',
      'manifests',
    ]);
  });

  it('that a folder is no bundle', async () => {
    await expect(readBundle(tmpdir())).rejects.toThrow('is no bundle: it has no folder manifests');
  });
});
