/** One version of a CRD that somebody else wrote. */
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@kurator/client/apiextensions/v1';
import { SchemaError } from '../error.ts';

/** The version that is asked for; without asking the stored one, or the last that is served. */
export function versionOfCrd(
  { metadata, spec }: CustomResourceDefinition,
  asked?: string,
): CustomResourceDefinitionVersion {
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
