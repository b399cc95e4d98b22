/** A resource type from a CRD, at run time: for kinds that nobody knew when the program was written. */
import type { ResourceType, UntypedObject } from '@kurator/client';
import type { CustomResourceDefinition, JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { versionOfCrd } from './crd-version.ts';

/** A kind as its CRD describes it. */
export interface CrdResource extends ResourceType<UntypedObject> {
  /** What its objects look like. */
  readonly schema: JSONSchemaProps;
  /** For example `status` or `scale`. */
  readonly subresources: readonly string[];
  readonly shortNames: readonly string[];
}

/** Which version is meant. */
export interface FromCrdOptions {
  /** The stored version unless given. */
  version?: string;
}

/** The resource type of a CRD, out of a file or a cluster. Its objects are whatever the server says; `typesFromCrd` types them. */
export function resourceFromCrd(crd: CustomResourceDefinition, options: FromCrdOptions = {}): CrdResource {
  const version = versionOfCrd(crd, options.version);
  const { group, names, scope } = crd.spec;
  return {
    apiVersion: `${group}/${version.name}`,
    kind: names.kind,
    plural: names.plural,
    namespaced: scope === 'Namespaced',
    schema: version.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    subresources: Object.keys(version.subresources ?? {}),
    shortNames: names.shortNames ?? [],
  };
}
