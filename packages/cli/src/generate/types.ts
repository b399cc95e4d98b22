/** TypeScript for other people's kinds, from the definitions in the project's folder `crds`. */
import { typesFromCrd } from '@kurator/schema';
import type { Generator } from './generator.ts';

const folder = 'src/types';

export const types: Generator = {
  description: "TypeScript types of other people's kinds, from the definitions in crds/",
  folder,
  files: ({ foreign }) =>
    foreign.map((crd) => ({
      path: `${folder}/${crd.spec.names.kind.toLowerCase()}.ts`,
      text: typesFromCrd(crd, { importFrom: '@kurator/sdk' }),
    })),
};
