import { ClientError } from '../error.ts';
import { Pod } from '../kinds/core.ts';
import type { KubernetesObject, Manifest } from '../object.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  ListOptions,
  LogOptions,
  ObjectRequestOptions,
  PatchOptions,
  PatchType,
  RawOptions,
  WatchOptions,
  WriteOptions,
} from '../options.ts';
import {
  collectionPath,
  describeObject,
  namespaceOf,
  type ObjectReference,
  objectPath,
  type ResourceType,
} from '../resource-type.ts';
import type { HttpMethod, HttpRequest } from './transport.ts';

/** What is asked of the API server, without how long it may take. */
export interface ApiRequest extends Omit<HttpRequest, 'timeout' | 'signal'> {
  /** The kind in question; absent where the caller gave a bare path. */
  readonly type?: ResourceType;
}

type Query = Record<string, string | number | boolean | undefined>;

export function getRequest(type: ResourceType, ref: ObjectReference, options: ObjectRequestOptions): ApiRequest {
  const doing = `get ${describeObject(type, ref)}`;
  return { type, method: 'GET', path: objectPath(type, ref, options.subresource), doing };
}

export function listRequest(type: ResourceType, options: ListOptions): ApiRequest {
  const { namespace, labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = options;
  const query = {
    labelSelector,
    fieldSelector,
    limit,
    resourceVersion,
    resourceVersionMatch,
    continue: options.continue,
  };
  return {
    type,
    method: 'GET',
    path: withQuery(collectionPath(type, namespace), query),
    doing: `list ${type.plural}${namespace ? ` in ${namespace}` : ''}`,
  };
}

export function watchRequest(type: ResourceType, options: WatchOptions & { timeoutSeconds: number }): ApiRequest {
  const { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds, bookmarks = true } = options;
  const query = {
    watch: true,
    allowWatchBookmarks: bookmarks,
    timeoutSeconds,
    labelSelector,
    fieldSelector,
    resourceVersion,
  };
  return {
    type,
    method: 'GET',
    path: withQuery(collectionPath(type, namespace), query),
    doing: `watch ${type.plural}${namespace ? ` in ${namespace}` : ''}`,
  };
}

const writeMethods = { create: 'POST', replace: 'PUT', apply: 'PATCH' } as const;

export function writeRequest<T extends KubernetesObject>(
  verb: keyof typeof writeMethods,
  type: ResourceType<T>,
  object: Manifest<T>,
  options: WriteOptions & Partial<ApplyOptions>,
): ApiRequest {
  const { name = '', namespace } = object.metadata;
  const place = { name, namespace: namespaceOf(type, namespace) };
  // Creating goes to the collection, but creating a subresource (an eviction, a token) goes to the object.
  const toCollection = verb === 'create' && !options.subresource;
  const path = toCollection ? collectionPath(type, place.namespace) : objectPath(type, place, options.subresource);
  return {
    type,
    method: writeMethods[verb],
    path: withQuery(path, { ...writeQuery(options), force: options.force }),
    doing: `${verb} ${describeObject(type, object.metadata)}`,
    // A subresource may be of another kind than its parent, for example Scale: what the caller says wins.
    body: JSON.stringify({ apiVersion: type.apiVersion, kind: type.kind, ...object }),
    contentType: verb === 'apply' ? 'application/apply-patch+yaml' : 'application/json',
  };
}

const patchContentTypes: Record<PatchType, string> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

export function patchRequest(
  type: ResourceType,
  ref: ObjectReference,
  patch: object,
  options: PatchOptions,
): ApiRequest {
  return {
    type,
    method: 'PATCH',
    path: withQuery(objectPath(type, ref, options.subresource), writeQuery(options)),
    doing: `patch ${describeObject(type, ref)}`,
    body: JSON.stringify(patch),
    contentType: patchContentTypes[options.type ?? 'merge'],
  };
}

export function deleteRequest(type: ResourceType, ref: ObjectReference, options: DeleteOptions): ApiRequest {
  const { propagation = 'Background', gracePeriodSeconds, preconditions, dryRun } = options;
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: propagation,
    gracePeriodSeconds,
    preconditions,
    dryRun: dryRun ? ['All'] : undefined,
  };
  return {
    type,
    method: 'DELETE',
    path: objectPath(type, ref),
    doing: `delete ${describeObject(type, ref)}`,
    body: JSON.stringify(body),
  };
}

export function logRequest(pod: ObjectReference, options: LogOptions, follow: boolean): ApiRequest {
  const { container, previous, tailLines, sinceSeconds, limitBytes, timestamps } = options;
  const query = { container, previous, tailLines, sinceSeconds, limitBytes, timestamps, follow: follow || undefined };
  return {
    type: Pod,
    method: 'GET',
    path: withQuery(objectPath(Pod, pod, 'log'), query),
    doing: `read logs of ${describeObject(Pod, pod)}`,
    accept: '*/*',
  };
}

export function rawRequest(method: HttpMethod, path: string, options: RawOptions): ApiRequest {
  if (!path.startsWith('/')) throw new ClientError('KUR_CLIENT_INVALID_REQUEST', `path "${path}" must begin with "/"`);
  const { body, contentType = 'application/json', query = {} } = options;
  return {
    method,
    path: withQuery(path, query),
    doing: `${method} ${path.split('?', 1)[0]}`,
    accept: 'application/json, */*',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body), contentType }),
  };
}

function writeQuery({ dryRun, fieldManager, fieldValidation = 'Strict' }: WriteOptions): Query {
  return { fieldValidation, fieldManager, dryRun: dryRun ? 'All' : undefined };
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return path;
  const joint = path.includes('?') ? '&' : '?';
  return path + joint + given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}
