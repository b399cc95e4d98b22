/** Where a scenario has ended: the objects of its namespace, in a form in which two runs can be compared. */
import { isIP } from 'node:net';
import { inspect } from 'node:util';
import { type Client, isNotFound, type KubernetesObject } from '@kurator/client';
import type { ResourcePath } from './write.ts';
import { withoutRandomness } from './write.ts';

/** Any object, as the API server gives it. */
export type AnyObject = KubernetesObject & Record<string, unknown>;
/** Says what of an object is compared: the object, a part of it, or nothing. */
export type Normalise = (object: AnyObject) => object | undefined;
/** By kind and name; several where names differ between runs. */
export type EndState = Readonly<Record<string, readonly unknown[]>>;

/** What Kubernetes puts into every namespace by itself. */
const furniture = ['ConfigMap kube-root-ca.crt', 'ServiceAccount default'];

export async function endState(
  client: Client,
  namespace: string,
  resources: Iterable<ResourcePath>,
  normalise: Normalise = (object) => object,
): Promise<EndState> {
  const lists = await Promise.all([...resources].map((resource) => list(client, namespace, resource)));
  const objects = lists.flat().filter(({ kind, metadata }) => !furniture.includes(`${kind} ${metadata.name}`));
  const random = objects.map(({ metadata }) => metadata.name).filter((name) => withoutRandomness(name) !== name);
  // Longest first: one name may be the beginning of another.
  const names = [...new Set(random)].sort((a, b) => b.length - a.length);
  const state: Record<string, unknown[]> = {};
  for (const object of objects) {
    const same = comparable(object, namespace, names);
    const compared = normalise(same);
    if (compared === undefined) continue;
    const key = `${same.kind} ${same.metadata.name}`;
    state[key] ??= [];
    state[key].push(JSON.parse(JSON.stringify(compared)));
  }
  for (const same of Object.values(state)) same.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return state;
}

async function list(client: Client, namespace: string, { root, plural }: ResourcePath): Promise<AnyObject[]> {
  try {
    const path = `${root}/namespaces/${namespace}/${plural}`;
    const { kind, apiVersion, items } = await client.raw<ObjectList>('GET', path);
    return items.map((item) => ({ ...item, apiVersion, kind: kind.replace(/List$/, '') }));
  } catch (error) {
    // Cluster-wide kinds are in no namespace.
    if (isNotFound(error)) return [];
    throw error;
  }
}

interface ObjectList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items: AnyObject[];
}

const identity = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation', 'selfLink'];
const uids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;

/** Without what differs between two runs in which the same happens: identities, versions, times, addresses. */
function comparable(object: AnyObject, namespace: string, names: readonly string[]): AnyObject {
  const { generation } = object.metadata;
  const text = (value: string) => {
    if (isIP(value)) return '<address>';
    const known = names.reduce((rest, name) => rest.replaceAll(name, withoutRandomness(name)), value);
    return known.replaceAll(namespace, '<namespace>').replaceAll(uids, '<uid>').replaceAll(times, '<time>');
  };
  const plain = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return text(value);
    if (key === 'observedGeneration') return value === generation ? 'current' : 'behind';
    if (key === 'nodePort' || key === 'healthCheckNodePort') return '<port>';
    if (Array.isArray(value)) return value.map((item) => plain(item));
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([name, item]) => [text(name), plain(item, name)]));
  };
  const metadata = Object.entries(object.metadata).filter(([name]) => !identity.includes(name));
  return plain({ ...object, metadata: Object.fromEntries(metadata) }) as AnyObject;
}

/** What is different, a line each: `Deployment web: spec.replicas is 3, not 5`. None when the two are the same. */
export function differences(actual: EndState, expected: EndState): string[] {
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].sort();
  return keys.flatMap((key) => {
    const [is, should] = [actual[key] ?? [], expected[key] ?? []];
    if (is.length !== should.length) return [`${key}: there are ${is.length}, not ${should.length}`];
    return is.flatMap((object, index) => below(object, should[index], '').map((line) => `${key}: ${line}`));
  });
}

function below(is: unknown, should: unknown, path: string): string[] {
  if (Object.is(is, should)) return [];
  const both = [is, should];
  if (both.some((value) => value === null || typeof value !== 'object')) {
    return [`${path} is ${shown(is)}, not ${shown(should)}`];
  }
  const [a, b] = both as [Record<string, unknown>, Record<string, unknown>];
  const keys = [...new Set([...Object.keys(b), ...Object.keys(a)])];
  return keys.flatMap((key) => below(a[key], b[key], path ? `${path}.${key}` : key));
}

/** Of a value that is compared, so much is shown. */
const SHOWN = 200;

function shown(value: unknown): string {
  const text = inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY });
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
