/** The definitions of the operator's own kinds, a file each, and a kustomization of them. */

import { kustomization, yamlFile } from '../files/generated-file.ts';
import type { Generator } from './generator.ts';

const folder = 'deploy/crds';

export const crds: Generator = {
  description: "the operator's CRDs",
  folder,
  files({ operator }) {
    const sorted = operator.crds.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const files = sorted.map((crd) => yamlFile(`${folder}/${crd.metadata.name}.yaml`, [crd]));
    const names = sorted.map((crd) => `${crd.metadata.name}.yaml`);
    // Kustomize refuses an empty one.
    return files.length > 0 ? [...files, kustomization(folder, names)] : [];
  },
};
