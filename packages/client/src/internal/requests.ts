import { ClientError } from '../error.ts';
import { Pod } from '../generated/core/v1.ts';
import type { KubernetesObject, Manifest } from '../object.ts';
import type {
  ApplyOptions,
  AttachOptions,
  DeleteCollectionOptions,
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
import type { HttpMethod, HttpRequest } from './http.ts';

/** What is asked of the API server. */
export interface ApiRequest extends HttpRequest {
  /** The kind in question; absent where the caller gave a bare path. */
  readonly type?: ResourceType;
}

type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

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
    ...(options.metadataOnly ? { accept: metadataAccept('PartialObjectMetadataList') } : {}),
  };
}

// A server that can't do it sends whole objects rather than a refusal.
function metadataAccept(as: string): string {
  return `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`;
}

export function watchRequest(type: ResourceType, options: WatchOptions & { timeoutSeconds: number }): ApiRequest {
  const { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds, sendInitialEvents } = options;
  const query = {
    watch: true,
    // The server marks the end of the initial events by a bookmark, and refuses to send them without.
    allowWatchBookmarks: sendInitialEvents || (options.bookmarks ?? true),
    timeoutSeconds,
    labelSelector,
    fieldSelector,
    resourceVersion,
    ...(sendInitialEvents ? { sendInitialEvents, resourceVersionMatch: 'NotOlderThan' } : {}),
  };
  return {
    type,
    method: 'GET',
    path: withQuery(collectionPath(type, namespace), query),
    doing: `watch ${type.plural}${namespace ? ` in ${namespace}` : ''}`,
    ...(options.metadataOnly ? { accept: metadataAccept('PartialObjectMetadata') } : {}),
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
  return {
    type,
    method: 'DELETE',
    path: objectPath(type, ref),
    doing: `delete ${describeObject(type, ref)}`,
    body: deleteBody(options),
  };
}

export function deleteCollectionRequest(type: ResourceType, options: DeleteCollectionOptions): ApiRequest {
  const { labelSelector, fieldSelector } = options;
  const namespace = namespaceOf(type, options.namespace);
  return {
    type,
    method: 'DELETE',
    path: withQuery(collectionPath(type, namespace), { labelSelector, fieldSelector }),
    doing: `delete ${type.plural}${namespace ? ` in ${namespace}` : ''}`,
    body: deleteBody(options),
  };
}

function deleteBody({ propagation = 'Background', gracePeriodSeconds, preconditions, dryRun }: DeleteOptions): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: propagation,
    gracePeriodSeconds,
    preconditions,
    dryRun: dryRun ? ['All'] : undefined,
  });
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

export function execRequest(pod: ObjectReference, command: readonly string[], options: AttachOptions): ApiRequest {
  const [program] = command;
  if (!program) throw new ClientError('KUR_CLIENT_INVALID_REQUEST', 'exec needs a command: give at least its name');
  const path = withQuery(objectPath(Pod, pod, 'exec'), { command, ...streamQuery(options) });
  return { type: Pod, method: 'GET', path, doing: `exec ${program} in ${describeObject(Pod, pod)}` };
}

export function attachRequest(pod: ObjectReference, options: AttachOptions): ApiRequest {
  const path = withQuery(objectPath(Pod, pod, 'attach'), streamQuery(options));
  return { type: Pod, method: 'GET', path, doing: `attach to ${describeObject(Pod, pod)}` };
}

export function portForwardRequest(pod: ObjectReference, port: number): ApiRequest {
  const path = withQuery(objectPath(Pod, pod, 'portforward'), { ports: port });
  return { type: Pod, method: 'GET', path, doing: `forward to port ${port} of ${describeObject(Pod, pod)}` };
}

function streamQuery({ container, stdin = false, stdout = true, tty = false, stderr = !tty }: AttachOptions): Query {
  return { container, stdin, stdout, stderr, tty };
}

export function discoveryRequest(path: string, accept: string): ApiRequest {
  return { method: 'GET', path, doing: `discover ${path}`, accept };
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
  let text = path;
  let joint = path.includes('?') ? '&' : '?';
  const add = (name: string, value: string | number | boolean) => {
    if (value === '') return;
    text += `${joint}${name}=${encodeURIComponent(value)}`;
    joint = '&';
  };
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    if (typeof value === 'object') for (const item of value) add(name, item);
    else add(name, value);
  }
  return text;
}
