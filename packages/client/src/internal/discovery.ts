/** Asks the server which kinds it has: all at once where it can say that, else one group and version at a time. */
import { ClientError, hasCode } from '../error.ts';
import type { RequestOptions } from '../options.ts';
import type { DiscoveredType } from '../resource-type.ts';

/** Reads a path of the API server with these media types. */
export type ReadPath = (path: string, accept: string, options: RequestOptions) => Promise<unknown>;

export interface Discovery {
  find(apiVersion: string, kind: string, options?: RequestOptions): Promise<DiscoveredType>;
}

interface Known {
  readonly at: number;
  readonly types: Promise<readonly DiscoveredType[]>;
}

// What is not there may have been installed a moment ago; what is there stays.
const REST = 2_000;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export function createDiscovery(read: ReadPath, now: () => number = Date.now): Discovery {
  const known = new Map<string, Known>();

  const typesBelow = (path: string, apiVersion: string, fresh: boolean, options: RequestOptions) => {
    const earlier = known.get(path);
    if (earlier && !(fresh && now() >= earlier.at + REST)) return earlier.types;
    const types = readTypes(read, path, apiVersion, options);
    known.set(path, { at: now(), types });
    types.catch(() => known.delete(path));
    return types;
  };

  const typesOf = async (apiVersion: string, fresh: boolean, options: RequestOptions) => {
    const root = apiVersion.includes('/') ? '/apis' : '/api';
    const all = await typesBelow(root, apiVersion, fresh, options);
    return all === notAggregated ? await typesBelow(`${root}/${apiVersion}`, apiVersion, fresh, options) : all;
  };

  return {
    async find(apiVersion, kind, options = {}) {
      const isIt = (type: DiscoveredType) => type.apiVersion === apiVersion && type.kind === kind;
      const found = (await typesOf(apiVersion, false, options)).find(isIt);
      if (found) return found;
      const types = await typesOf(apiVersion, true, options);
      return types.find(isIt) ?? unknownKind(apiVersion, kind, types);
    },
  };
}

/** The answer of a server that can't list everything at once. */
const notAggregated: readonly DiscoveredType[] = [];

async function readTypes(
  read: ReadPath,
  path: string,
  apiVersion: string,
  options: RequestOptions,
): Promise<readonly DiscoveredType[]> {
  const isRoot = path === '/api' || path === '/apis';
  try {
    const answer = (await read(
      path,
      isRoot ? `${AGGREGATED},application/json` : 'application/json',
      options,
    )) as Answer;
    if (!isRoot) return (answer.resources ?? []).flatMap((resource) => fromList(resource, apiVersion, answer));
    return answer.kind === 'APIGroupDiscoveryList' ? (answer.items ?? []).flatMap(fromGroup) : notAggregated;
  } catch (error) {
    if (hasCode(error, 'KUR_CLIENT_NOT_FOUND')) return [];
    throw error;
  }
}

interface Answer {
  kind?: string;
  items?: GroupDiscovery[];
  resources?: ListedResource[];
}

/** An item of an APIGroupDiscoveryList. */
interface GroupDiscovery {
  metadata?: { name?: string };
  versions?: {
    version: string;
    resources?: {
      resource: string;
      responseKind?: { kind?: string };
      scope?: string;
      shortNames?: string[];
      verbs?: string[];
      subresources?: { subresource: string }[];
    }[];
  }[];
}

function fromGroup({ metadata, versions = [] }: GroupDiscovery): DiscoveredType[] {
  return versions.flatMap(({ version, resources = [] }) =>
    resources.map(({ resource, responseKind, scope, shortNames = [], verbs = [], subresources = [] }) => ({
      apiVersion: metadata?.name ? `${metadata.name}/${version}` : version,
      kind: responseKind?.kind ?? '',
      plural: resource,
      namespaced: scope === 'Namespaced',
      verbs,
      shortNames,
      subresources: subresources.map(({ subresource }) => subresource),
    })),
  );
}

/** An item of an APIResourceList; subresources are listed beside their parents, as `pods/log`. */
interface ListedResource {
  name: string;
  kind: string;
  namespaced: boolean;
  verbs?: string[];
  shortNames?: string[];
}

function fromList(resource: ListedResource, apiVersion: string, { resources = [] }: Answer): DiscoveredType[] {
  const { name, kind, namespaced, verbs = [], shortNames = [] } = resource;
  if (name.includes('/')) return [];
  const subresources = resources.filter((other) => other.name.startsWith(`${name}/`));
  return [
    {
      apiVersion,
      kind,
      plural: name,
      namespaced,
      verbs,
      shortNames,
      subresources: subresources.map((other) => other.name.slice(name.length + 1)),
    },
  ];
}

function unknownKind(apiVersion: string, kind: string, types: readonly DiscoveredType[]): never {
  const message = `the server has no ${kind} in ${apiVersion}: ${hintFor(apiVersion, kind, types)}`;
  throw new ClientError('KUR_CLIENT_UNKNOWN_KIND', message, { status: 404 });
}

function hintFor(apiVersion: string, kind: string, types: readonly DiscoveredType[]): string {
  const elsewhere = types.filter((type) => type.kind === kind).map((type) => type.apiVersion);
  if (elsewhere.length > 0) return `it has one in ${elsewhere.join(', ')}`;
  const beside = types.filter((type) => type.apiVersion === apiVersion).map((type) => type.kind);
  if (beside.length > 0) return `there it has ${[...new Set(beside)].sort().join(', ')}`;
  return 'is its definition (CRD) installed?';
}
