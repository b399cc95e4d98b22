/** An object as a person would write it, filled in and checked as the server would. */
import type { Manifest, ManifestMeta } from '@kurator/client';
import { z } from 'zod';
import type { CustomObject } from './definition.ts';
import { SchemaError } from './error.ts';
import type { VersionedResource, Versions } from './versioned-resource.ts';

/** What has to be given of an object: all but what has a default. */
export interface ResourceManifest<Input> {
  metadata: ManifestMeta;
  spec: Input;
}

/**
 * An object to create or apply, with the defaults of the schema filled in. It is checked with zod, so a mistake shows
 * before anything is sent.
 *
 * @example await client.create(MyApp, manifestOf(MyApp, { metadata: { name: 'web', namespace: 'default' }, spec: { image: 'nginx' } }));
 */
export function manifestOf<Spec, Status, Others extends Versions, Input>(
  resource: VersionedResource<Spec, Status, Others, Input>,
  { metadata, spec }: ResourceManifest<Input>,
): Manifest<CustomObject<Spec, Status>> {
  const { apiVersion, kind, definition } = resource;
  const parsed = definition.spec.safeParse(spec);
  if (!parsed.success) {
    const remedy = z.prettifyError(parsed.error);
    const what = `${kind} ${metadata.name ?? ''} is not as its schema wants it: ${remedy}`;
    throw new SchemaError('KUR_SCHEMA_INVALID', what, { path: 'spec', remedy, cause: parsed.error });
  }
  return { apiVersion, kind, metadata, spec: parsed.data as Spec };
}
