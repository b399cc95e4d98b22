/** TypeScript for other people's kinds, from the definitions in the project's folder `crds`. */
import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { typesFromCrd } from '@kurator/schema';
import type { Generator } from './generator.ts';

const folder = 'src/types';

export const types: Generator = {
  description: "TypeScript types of others' CRDs, which are in crds/",
  folder,
  files({ foreign }) {
    // First, because it refuses names that are none.
    const texts = foreign.map((crd) => typesFromCrd(crd, { importFrom: '@kurator/sdk' }));
    return foreign.map((crd, at) => ({ path: `${folder}/${fileName(crd, foreign)}.ts`, text: texts[at] ?? '' }));
  },
};

/** After the kind; with its group where another has the same. */
function fileName({ spec }: CustomResourceDefinition, all: readonly CustomResourceDefinition[]): string {
  const short = spec.names.kind.toLowerCase();
  const namesakes = all.filter((other) => other.spec.names.kind.toLowerCase() === short);
  return namesakes.length > 1 ? `${short}.${spec.group}` : short;
}
