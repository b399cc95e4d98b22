/** Everything that `kurator generate` can make. To add something, add it here. */

import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { typesFromCrd } from '@kurator/schema';
import { chartFiles } from '../chart/chart.ts';
import { kustomization, yamlFile } from '../files/generated-file.ts';
import { base, install } from './base.ts';
import type { Generator } from './generator.ts';
import { bundleIn } from './olm-bundle.ts';

/** TypeScript for other people's kinds, from the definitions in the project's folder `crds`. */
const types: Generator = {
  description: "TypeScript types of others' CRDs, which are in crds/",
  folder: 'src/types',
  files({ foreign }) {
    // First, because it refuses names that are none.
    const texts = foreign.map((crd) => typesFromCrd(crd, { importFrom: '@kurator/sdk' }));
    return foreign.map((crd, at) => ({ path: `src/types/${fileName(crd, foreign)}.ts`, text: texts[at] ?? '' }));
  },
};

/** After the kind; with its group where another has the same. */
function fileName({ spec }: CustomResourceDefinition, all: readonly CustomResourceDefinition[]): string {
  const short = spec.names.kind.toLowerCase();
  const namesakes = all.filter((other) => other.spec.names.kind.toLowerCase() === short);
  return namesakes.length > 1 ? `${short}.${spec.group}` : short;
}

/** A Helm chart of the operator. */
const chart: Generator = {
  description: 'a Helm chart',
  folder: 'deploy/chart',
  optional: true,
  files({ operator }) {
    const { name, image, version = '0.0.0' } = operator;
    const repository = image.replace(/:[^/]*$/, '');
    const parts = [{ facts: operator, key: 'operator', repository, enabled: true }];
    const files = chartFiles({ name, description: `The operator ${name}`, version, operators: parts });
    return files.map(({ path, text }) => ({ path: `deploy/chart/${path}`, text }));
  },
};

/** The definitions of the operator's own kinds, a file each, and a kustomization of them. */
export const crds: Generator = {
  description: "the operator's CRDs",
  folder: 'deploy/crds',
  files({ operator }) {
    const sorted = operator.crds.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const files = sorted.map((crd) => yamlFile(`deploy/crds/${crd.metadata.name}.yaml`, [crd]));
    const names = sorted.map((crd) => `${crd.metadata.name}.yaml`);
    // Kustomize refuses an empty one.
    return files.length > 0 ? [...files, kustomization('deploy/crds', names)] : [];
  },
};

export const generators: Readonly<Record<string, Generator>> = {
  crds,
  base,
  install,
  types,
  chart,
  bundle: bundleIn('deploy/bundle'),
};
