/** What a request asks of the API server, in words that mean the same in every run of a scenario. */
import type { IncomingHttpHeaders } from 'node:http';

/** What a path of the API names. */
export interface ResourcePath {
  /** As kubectl writes it: `deployments.apps`, `pods`. */
  readonly resource: string;
  /** All before the namespace, and the plural: `/apis/apps/v1` and `deployments`. */
  readonly root: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** `undefined` for what is no resource: `/readyz`, `/apis`. */
export function parsePath(path: string): ResourcePath | undefined {
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  const isCore = parts[0] === 'api';
  if (!isCore && parts[0] !== 'apis') return undefined;
  const rest = parts.slice(isCore ? 2 : 3);
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [plural, name, subresource] = isNamespaced ? rest.slice(2) : rest;
  if (!plural) return undefined;
  return {
    resource: isCore ? plural : `${plural}.${parts[1]}`,
    root: `/${parts.slice(0, isCore ? 2 : 3).join('/')}`,
    plural,
    namespace: isNamespaced ? rest[1] : undefined,
    name,
    subresource,
  };
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** `create`, `update`, `patch`, `apply`, `delete`, `deletecollection`; undefined for what only reads. */
function verbOf(method: string, headers: IncomingHttpHeaders, { name }: ResourcePath): string | undefined {
  if (method === 'PATCH' && headers['content-type']?.includes('apply-patch')) return 'apply';
  return method === 'DELETE' && !name ? 'deletecollection' : verbs[method];
}

// What is asked by POST, and changes nothing.
const questions = /(accessreviews|rulesreviews|tokenreviews)(\.|$)/;

/**
 * A write as two runs know it again: `apply deployments.apps/web`, `create pods/web-*\/eviction`. Undefined for what
 * changes nothing.
 */
export function describeWrite(
  method: string,
  url: URL,
  headers: IncomingHttpHeaders,
  path: ResourcePath,
  body: Buffer,
): string | undefined {
  const verb = verbOf(method, headers, path);
  const isQuestion = questions.test(path.resource) || path.subresource === 'token';
  if (!verb || isQuestion || url.searchParams.has('dryRun')) return undefined;
  const name = path.name ?? (verb === 'create' ? nameIn(body) : undefined);
  const object = [path.resource, name && withoutRandomness(name), path.subresource].filter(Boolean).join('/');
  return `${verb} ${object}`;
}

/** The name of an object that is created, as far as it is known: `web`, `web-*`. */
export function nameIn(body: Buffer): string | undefined {
  try {
    const { name, generateName } = JSON.parse(body.toString()).metadata ?? {};
    return name ?? (generateName && `${generateName}*`);
  } catch {
    // Protobuf: the kind alone has to do.
    return undefined;
  }
}

// What Kubernetes makes of `generateName` and of a pod template, and what programs make of random bytes.
const randomEnding =
  /-([bcdfghjklmnpqrstvwxz2456789]{5}|[bcdfghjklmnpqrstvwxz2456789]{8,10}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{6,})$/;

/** `web-*` for `web-6d4cf56db6-x7k2p`: what is another name in every run. */
export function withoutRandomness(name: string): string {
  const shorter = name.replace(randomEnding, '');
  if (shorter === name) return name;
  const stem = withoutRandomness(shorter);
  return stem.endsWith('-*') ? stem : `${stem}-*`;
}
