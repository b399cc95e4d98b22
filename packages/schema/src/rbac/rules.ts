/** The least that a role must allow for what a program does. */
import type { ClusterRole, PolicyRule, Role } from '@kurator/client';
import { type Grant, grantsOfRules, grantsOfUsage, keyOf, withoutRepetition } from './grant.ts';
import type { Usage } from './usage.ts';

/** The rules of a role that allows this and nothing else: merged, sorted, and the same for the same usages. */
export function rulesFor(usages: readonly Usage[]): PolicyRule[] {
  return rulesOf(withoutRepetition(usages.flatMap(grantsOfUsage)));
}

/** What is left of rules when others are taken away, however both are cut. */
export function rulesWithout(rules: readonly PolicyRule[], taken: readonly PolicyRule[]): PolicyRule[] {
  const gone = new Set(grantsOfRules(taken).map(keyOf));
  return rulesOf(withoutRepetition(grantsOfRules(rules)).filter((grant) => !gone.has(keyOf(grant))));
}

function rulesOf(grants: readonly Grant[]): PolicyRule[] {
  const byResource = Map.groupBy(grants, ({ group, resource }) => `${group} ${resource}`);
  const single = [...byResource.values()].flatMap(rulesOfResource);
  // Resources of one group with the same verbs and names share a rule.
  const alike = Map.groupBy(single, ({ apiGroups, verbs, resourceNames }) =>
    JSON.stringify([apiGroups, verbs, resourceNames]),
  );
  const merged = [...alike.values()].flatMap(([first, ...others]): PolicyRule[] => {
    if (!first) return [];
    const resources = [first, ...others].flatMap(({ resources }) => resources ?? []);
    return [{ ...first, resources: resources.toSorted() }];
  });
  return merged.toSorted((a, b) => compare(sortKey(a), sortKey(b)));
}

/** What a role is called, and what is put on it. */
export interface RoleOptions {
  labels?: Record<string, string>;
}

/** The roles for these usages: one for the whole cluster, and one for each namespace that usages are limited to. */
export function rolesFor(name: string, usages: readonly Usage[], { labels }: RoleOptions = {}): (ClusterRole | Role)[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const byNamespace = Map.groupBy(usages, ({ type, namespace }) => (type.namespaced ? (namespace ?? '') : ''));
  const sorted = [...byNamespace].toSorted(([a], [b]) => compare(a, b));
  return sorted.map(([namespace, some]): ClusterRole | Role => ({
    apiVersion,
    kind: namespace ? 'Role' : 'ClusterRole',
    metadata: { name, ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}) },
    rules: rulesFor(some),
  }));
}

const order = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

function rulesOfResource(grants: readonly Grant[]): PolicyRule[] {
  const [{ group, resource } = { group: '', resource: '' }] = grants;
  const byVerb = Map.groupBy(grants, ({ verb }) => verb);
  const verbsByNames = Map.groupBy([...byVerb], ([, same]) => JSON.stringify(namesOf(same)));
  return [...verbsByNames].map(([names, verbs]) => ({
    apiGroups: [group],
    resources: [resource],
    ...(names === '[]' ? {} : { resourceNames: JSON.parse(names) as string[] }),
    verbs: verbs.map(([verb]) => verb).toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
  }));
}

function namesOf(grants: readonly Grant[]): string[] {
  return grants.flatMap(({ name }) => name ?? []).toSorted();
}

function sortKey({ apiGroups = [], resources = [], resourceNames = [], verbs }: PolicyRule): string {
  return [apiGroups, resources, resourceNames, verbs].map((part) => part.join(' ')).join('\n');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
