/** The CustomResourceDefinition of a resource. */
import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  JSONSchemaProps,
  WebhookClientConfig,
} from '@kurator/client/apiextensions/v1';
import { columnsOf } from './columns.ts';
import { needsConversion } from './conversion.ts';
import type { Resource, ResourceDefinition, VersionDefinition } from './definition.ts';
import { SchemaError } from './error.ts';
import { fieldAt, stepsOf } from './json-path.ts';
import { rootSchema } from './openapi/root.ts';

/** What only the place where it is installed knows. */
export interface CrdOptions {
  /** How the server reaches the webhook that converts between versions. Needed where versions declare `convert`. */
  conversionWebhook?: WebhookClientConfig;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** The manifest to apply to a cluster. Needs no cluster to be made; says what can't be expressed, and what to write. */
export function crdOf(resource: Resource, options: CrdOptions = {}): CustomResourceDefinition {
  const { definition } = resource;
  const { group, kind, plural, singular, scope, shortNames, categories, versions } = definition;
  const { labels, annotations } = options;
  const conversion = conversionOf(resource, options.conversionWebhook);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames.length > 0 ? { shortNames: [...shortNames] } : {}),
        ...(categories.length > 0 ? { categories: [...categories] } : {}),
      },
      ...(conversion ? { conversion } : {}),
      versions: versions.map((version) => versionOf(definition, version)),
    },
  };
}

function versionOf(definition: ResourceDefinition, version: VersionDefinition): CustomResourceDefinitionVersion {
  const schema = rootSchema(definition, version);
  const { name, served, storage, deprecated, columns, selectableFields } = version;
  for (const path of selectableFields) checkPlainPath(schema, path, 'selectableFields', /^(string|integer|boolean)$/);
  return {
    name,
    served,
    storage,
    ...(deprecated ? { deprecated: true } : {}),
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema: schema },
    subresources: subresourcesOf(version, schema),
    ...(selectableFields.length > 0 ? { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) } : {}),
    additionalPrinterColumns: columnsOf(columns, schema),
  };
}

function subresourcesOf({ scale }: VersionDefinition, schema: JSONSchemaProps): CustomResourceSubresources {
  if (!scale) return { status: {} };
  const { specReplicas, statusReplicas, selector } = scale;
  checkPlainPath(schema, specReplicas, 'scale.specReplicas', /^integer$/);
  checkPlainPath(schema, statusReplicas, 'scale.statusReplicas', /^integer$/);
  if (selector) checkPlainPath(schema, selector, 'scale.selector', /^string$/);
  return {
    status: {},
    scale: {
      specReplicasPath: specReplicas,
      statusReplicasPath: statusReplicas,
      ...(selector ? { labelSelectorPath: selector } : {}),
    },
  };
}

function checkPlainPath(schema: JSONSchemaProps, path: string, declaredAt: string, types: RegExp): void {
  const { type = 'any type' } = fieldAt(schema, path, declaredAt);
  const plain = stepsOf(path)?.every((step) => 'field' in step) && !path.includes('[');
  if (plain && types.test(type)) return;
  const wanted = types.source.replace(/[\^$()]/g, '').replaceAll('|', ', ');
  const remedy = `name a field of type ${wanted}, as .spec.replicas`;
  throw new SchemaError('KUR_SCHEMA_PATH', `${path} can't be used here, being of ${type}; ${remedy}`, {
    path: declaredAt,
    remedy,
  });
}

function conversionOf(resource: Resource, clientConfig?: WebhookClientConfig): CustomResourceConversion | undefined {
  if (!needsConversion(resource)) return resource.definition.versions.length > 1 ? { strategy: 'None' } : undefined;
  if (clientConfig) return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
  const remedy = 'give conversionWebhook, a service or a URL';
  throw new SchemaError(
    'KUR_SCHEMA_CONVERSION',
    `${resource.kind} has versions that a webhook must convert, and where that is was not said; ${remedy}`,
    { path: 'conversionWebhook', remedy },
  );
}
