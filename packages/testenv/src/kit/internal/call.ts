/** What a call of a client's method asks for, told from its arguments. */
import type { HttpMethod, ObjectReference, ResourceType } from '@kurator/client';
import { Pod } from '@kurator/client';

/** One call. */
export interface Call {
  readonly method: HttpMethod;
  readonly type?: ResourceType;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly path?: string;
}

interface Options {
  readonly namespace?: string;
  readonly subresource?: string;
  readonly dryRun?: boolean;
}
type Named = { readonly metadata: Partial<ObjectReference> };

const object =
  (method: HttpMethod) =>
  (type: ResourceType, { name, namespace }: ObjectReference, { subresource, dryRun }: Options = {}): Call => ({
    method,
    type,
    namespace,
    name,
    subresource,
    dryRun,
  });

const manifest =
  (method: HttpMethod) =>
  (type: ResourceType, { metadata }: Named, options?: Options): Call =>
    object(method)(type, { name: '', ...metadata }, options);

const collection =
  (method: HttpMethod) =>
  (type: ResourceType, { namespace, dryRun }: Options = {}): Call => ({ method, type, namespace, dryRun });

// Those of a program in a container are reads to HTTP, and anything at all to the container.
const pod = (method: HttpMethod, subresource: string) => (reference: ObjectReference) =>
  object(method)(Pod, reference, { subresource });

/** By method of the client, those that answer once. */
export const calls = {
  get: object('GET'),
  find: object('GET'),
  list: collection('GET'),
  create: manifest('POST'),
  replace: manifest('PUT'),
  apply: manifest('PATCH'),
  patch: (type: ResourceType, reference: ObjectReference, _patch: object, options?: Options) =>
    object('PATCH')(type, reference, options),
  delete: object('DELETE'),
  deleteCollection: collection('DELETE'),
  logs: pod('GET', 'log'),
  exec: pod('POST', 'exec'),
  attach: pod('POST', 'attach'),
  portForward: pod('GET', 'portforward'),
  discover: (apiVersion: string, kind: string): Call => ({ method: 'GET', path: `${apiVersion} ${kind}` }),
  raw: (method: HttpMethod, path: string): Call => ({ method, path }),
};

/** By method of the client, those that answer again and again. */
export const streams = {
  watch: collection('GET'),
  watchLines: collection('GET'),
  followLogs: pod('GET', 'log'),
};
