/** Objects as a YAML file that is the same for the same objects. Pure. */
import { stringify } from 'yaml';
import type { PlannedFile } from '../files/template.ts';
import { HEADER } from './generator.ts';

export function yamlFile(path: string, objects: readonly object[]): PlannedFile {
  // Two places that are equal are no anchor: nobody reads those.
  const texts = objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
  return { path, text: HEADER + texts.join('---\n') };
}

/** A kustomization of these files and folders. */
export function kustomization(folder: string, resources: readonly string[]): PlannedFile {
  const object = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources };
  return yamlFile(`${folder}/kustomization.yaml`, [object]);
}
