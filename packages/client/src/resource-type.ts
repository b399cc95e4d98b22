import { ClientError } from './error.ts';
import { pluralOf } from './notation.ts';
import type { KubernetesObject, UntypedObject } from './object.ts';

declare const objectType: unique symbol;

/**
 * What the client must know of a kind in order to address its objects, and the TypeScript type of those objects.
 * Make one with {@link resourceType}.
 */
export interface ResourceType<T extends KubernetesObject = KubernetesObject> {
  readonly apiVersion: string;
  readonly kind: string;
  /** The name in the URL, for example `endpointslices`. */
  readonly plural: string;
  /** False for kinds that belong to the whole cluster, such as Node. */
  readonly namespaced: boolean;
  /** Exists for the type checker only. */
  readonly [objectType]?: T;
}

/** A kind as the server describes it. */
export interface DiscoveredType extends ResourceType<UntypedObject> {
  /** What can be done with it, for example `list`, `watch` or `deletecollection`. */
  readonly verbs: readonly string[];
  /** For example `status` or `scale`. */
  readonly subresources: readonly string[];
  readonly shortNames: readonly string[];
}

/** What can't always be derived from a kind's name. */
export interface ResourceTypeOptions {
  /** Derived from the kind by the rules of English unless given. */
  plural?: string;
  /** True unless given. */
  namespaced?: boolean;
}

/** Which object of a resource type is meant. */
export interface ObjectReference {
  name: string;
  /** Required for namespaced kinds, and wrong for others. */
  namespace?: string | undefined;
}

/**
 * Describes a kind, built-in or custom.
 *
 * @example const Widget = resourceType<Widget>('example.com/v1', 'Widget');
 */
export function resourceType<T extends KubernetesObject>(
  apiVersion: string,
  kind: string,
  options: ResourceTypeOptions = {},
): ResourceType<T> {
  return { apiVersion, kind, plural: options.plural ?? pluralOf(kind), namespaced: options.namespaced ?? true };
}

/** Describes a kind whose shape nobody has written down: its objects are whatever the server says. */
export function untyped(
  apiVersion: string,
  kind: string,
  options: ResourceTypeOptions = {},
): ResourceType<UntypedObject> {
  return resourceType<UntypedObject>(apiVersion, kind, options);
}

/** The URL path of all objects of a type, in one namespace or in all. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.apiVersion.includes('/') ? `/apis/${type.apiVersion}` : `/api/${type.apiVersion}`;
  if (!namespace) return `${root}/${type.plural}`;
  if (!type.namespaced) {
    throw invalid(`${type.kind} belongs to the whole cluster: leave out the namespace "${namespace}"`);
  }
  return `${root}/namespaces/${segment(type, 'namespace', namespace)}/${type.plural}`;
}

/** The URL path of one object, or of one of its subresources. */
export function objectPath(type: ResourceType, reference: ObjectReference, subresource?: string): string {
  if (!reference.name) throw invalid(`${type.kind} needs a name: give metadata.name`);
  const collection = collectionPath(type, namespaceOf(type, reference.namespace));
  return [collection, segment(type, 'name', reference.name), ...(subresource ? [subresource] : [])].join('/');
}

/** The namespace that a request on one object must go to; undefined for kinds of the whole cluster. */
export function namespaceOf(type: ResourceType, namespace: string | undefined): string | undefined {
  if (type.namespaced && !namespace) throw invalid(`${type.kind} is namespaced: give metadata.namespace`);
  return namespace;
}

/** How an object is named in messages, for example `Pod default/web-0`. */
export function describeObject(type: ResourceType, { name, namespace }: Partial<ObjectReference>): string {
  return `${type.kind} ${namespace ? `${namespace}/` : ''}${name ?? ''}`.trimEnd();
}

// A dot-dot or a slash in a name would address another object than the one that was meant.
function segment(type: ResourceType, what: string, text: string): string {
  if (text === '.' || text === '..' || /[/%]/.test(text)) {
    throw invalid(`"${text}" can't be the ${what} of a ${type.kind}: it may not contain "/" or "%", or be "." or ".."`);
  }
  return encodeURIComponent(text);
}

function invalid(message: string): ClientError {
  return new ClientError('KUR_CLIENT_INVALID_REQUEST', message);
}
