/** One version of a CRD that somebody else wrote. */
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@kurator/client/apiextensions/v1';
import { SchemaError } from '../error.ts';
import { checkName } from '../names.ts';

/**
 * Refuses names that an API server would refuse: a definition out of a file has not been seen by any, and its names become
 * paths and TypeScript.
 */
function checkNames({ metadata, spec }: CustomResourceDefinition): void {
  checkName('group', metadata?.name, 'metadata.name');
  checkName('group', spec?.group, 'spec.group');
  checkName('foreignKind', spec?.names?.kind, 'spec.names.kind');
  checkName('plural', spec?.names?.plural, 'spec.names.plural');
  for (const [at, version] of (spec?.versions ?? []).entries()) {
    checkName('version', version?.name, `spec.versions[${at}].name`);
  }
}

/** The version that is asked for; without asking the stored one, or the last that is served. */
export function versionOfCrd(crd: CustomResourceDefinition, asked?: string): CustomResourceDefinitionVersion {
  checkNames(crd);
  const { metadata, spec } = crd;
  const wanted = (version: CustomResourceDefinitionVersion) => version.name === asked;
  const stored = (version: CustomResourceDefinitionVersion) => version.storage && version.served;
  const found = asked
    ? spec.versions.find(wanted)
    : (spec.versions.find(stored) ?? spec.versions.findLast(({ served }) => served));
  if (found) return found;
  const remedy = `it has ${spec.versions.map(({ name }) => name).join(', ')}`;
  throw new SchemaError(
    'KUR_SCHEMA_VERSION',
    `${metadata.name} has no version ${asked ?? 'that is served'}; ${remedy}`,
    {
      remedy,
    },
  );
}
