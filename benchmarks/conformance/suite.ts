/** The suite and the programs of its images, built once from the Go modules of one Kubernetes. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtOnce } from '../subjects/workshop.ts';
import type { Test } from './outcome.ts';
import { type GinkgoReport, testsIn } from './report.ts';

export interface Suite {
  /** The tests themselves: the program that Kubernetes' own projects call e2e.test. */
  readonly e2e: string;
  /** What starts several of it side by side. */
  readonly ginkgo: string;
  /** Programs that are for images. */
  readonly agnhost: string;
  readonly nonewprivs: string;
  readonly sampleApiserver: string;
  /** Kubernetes' sources, for the few files that are in images as they are. */
  readonly sources: string;
  /** All conformance tests of this version. */
  readonly tests: readonly Test[];
}

/** Static, as an image with nothing else in it needs them. */
const env = { GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOWORK: 'off' };
const CONFORMANCE = '\\[Conformance\\]';
const programs = [
  'github.com/onsi/ginkgo/v2/ginkgo',
  'k8s.io/kubernetes/test/images/agnhost',
  'k8s.io/kubernetes/test/images/nonewprivs',
  'k8s.io/sample-apiserver',
];

export async function obtainSuite(version: string): Promise<Suite> {
  const source = join(import.meta.dirname, 'suite');
  const folder = await builtOnce(
    `conformance-${version}`,
    async ({ recipe, product }, go) => {
      const downloaded = JSON.parse(await go('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`], env));
      await writeFile(join(recipe, 'go.mod'), suiteGoMod(version, await readFile(downloaded.GoMod, 'utf8')));
      await go('go', ['mod', 'tidy'], env);
      const flags = ['-trimpath', '-ldflags', linkFlags(version)];
      const e2e = join(product, 'e2e.test');
      // Vet would look at all of Kubernetes, which is not ours to judge.
      await go('go', ['test', '-c', '-vet=off', ...flags, '-o', e2e, 'k8s.io/kubernetes/test/e2e'], env);
      await go('go', ['build', ...flags, '-o', `${product}/`, ...programs], env);
      const list = join(product, 'list.json');
      await go(e2e, ['--ginkgo.dry-run', `--ginkgo.focus=${CONFORMANCE}`, `--ginkgo.json-report=${list}`]);
      const tests = testsIn(JSON.parse(await readFile(list, 'utf8')) as GinkgoReport[]);
      const facts: Facts = { sources: downloaded.Dir, tests };
      await writeFile(join(product, 'suite.json'), JSON.stringify(facts));
    },
    source,
  );
  const file = (name: string) => join(folder, name);
  const facts = JSON.parse(await readFile(file('suite.json'), 'utf8')) as Facts;
  return {
    ...facts,
    e2e: file('e2e.test'),
    ginkgo: file('ginkgo'),
    agnhost: file('agnhost'),
    nonewprivs: file('nonewprivs'),
    sampleApiserver: file('sample-apiserver'),
  };
}

type Facts = Pick<Suite, 'sources' | 'tests'>;

/**
 * Kubernetes' own go.mod replaces its staging modules by folders that exist only in its repository; each is published
 * too, as v0 with the same minor and patch.
 */
export function suiteGoMod(version: string, ownGoMod: string): string {
  const staging = [...ownGoMod.matchAll(/^\s*(?:replace\s+)?(\S+) => \.\/staging\/\S+$/gm)].map(([, module]) => module);
  const published = `v${version.replace(/^1\./, '0.')}`;
  return [
    'module kurator.dev/benchmarks/conformance',
    /^go \S+$/m.exec(ownGoMod)?.[0] ?? 'go 1.26.0',
    `require k8s.io/kubernetes v${version}`,
    ...staging.map((module) => `replace ${module} => ${module} ${published}`),
    '',
  ].join('\n\n');
}

/** The suite compares its own version with the cluster's. */
function linkFlags(version: string): string {
  const [major, minor] = version.split('.');
  const stamps = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const settings = Object.entries(stamps).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['-s -w', ...settings].join(' ');
}
