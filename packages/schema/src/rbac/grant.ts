/** Permissions in their smallest parts: one verb on one resource, for one name or all. Roles are sets of these. */
import type { PolicyRule } from '@kurator/client';
import type { Usage } from './usage.ts';

/** One permission. */
export interface Grant {
  readonly group: string;
  /** With its subresource: `deployments/status`. */
  readonly resource: string;
  readonly verb: string;
  /** Of one object; of all where it is absent. */
  readonly name?: string;
}

/** A text that is the same for the same permission. */
export function keyOf({ group, resource, verb, name = '' }: Grant): string {
  return [group, resource, verb, name].join(' ');
}

// A new object has no name to check yet, and a collection has many.
const nameless = new Set(['create', 'deletecollection']);

/** The permissions that a usage needs. */
export function grantsOfUsage({ type, verbs, subresources, names }: Usage): Grant[] {
  const [group = ''] = type.apiVersion.includes('/') ? type.apiVersion.split('/') : [''];
  const resources = subresources?.map((subresource) => `${type.plural}/${subresource}`) ?? [type.plural];
  return resources.flatMap((resource) =>
    verbs.flatMap((verb): Grant[] => {
      const isOfObject = subresources !== undefined || !nameless.has(verb);
      return names && isOfObject ? names.map((name) => ({ group, resource, verb, name })) : [{ group, resource, verb }];
    }),
  );
}

/** The permissions that a role's rules give. Rules about URLs are left out. */
export function grantsOfRules(rules: readonly PolicyRule[]): Grant[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          resourceNames.map((name): Grant => ({ group, resource, verb, ...(name ? { name } : {}) })),
        ),
      ),
    ),
  );
}

/** Each permission once, and none for a name that is given for all names too. */
export function withoutRepetition(grants: readonly Grant[]): Grant[] {
  const unique = new Map(grants.map((grant) => [keyOf(grant), grant]));
  return [...unique.values()].filter(({ name, ...rest }) => name === undefined || !unique.has(keyOf(rest)));
}
