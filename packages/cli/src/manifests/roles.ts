/** What the operator may do, and what people may do with its kinds. */
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding } from '@kurator/client';
import { labelsOf, namespaceOf, type OperatorDescription } from './description.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1`;

type Granted = ClusterRole | ClusterRoleBinding | Role | RoleBinding;

/** The operator's own: exactly what it declares, and only where it works. */
export function roles(description: OperatorDescription): Granted[] {
  const { name, permissions, namespaces, extraRules = [] } = description;
  const atWork = [...permissions.namespaced, ...extraRules];
  const everywhere = namespaces ? permissions.cluster : [...atWork, ...permissions.cluster];
  return [
    ...clusterRole(description, name, everywhere),
    ...(namespaces ?? []).flatMap((namespace) => namespacedRole(description, name, namespace, atWork)),
    // Its Lease, and its keys.
    ...namespacedRole(description, `${name}-own`, namespaceOf(description), permissions.own),
  ];
}

/** For people: who may view or edit a namespace may do so with the operator's kinds too. */
export function userRoles(description: OperatorDescription): ClusterRole[] {
  const { name, crds } = description;
  if (crds.length === 0) return [];
  const kinds = Map.groupBy(crds, ({ spec }) => spec.group);
  const rules = (verbs: string[], subresource = '') =>
    [...kinds].map(([group, some]): PolicyRule => {
      const resources = some.map(({ spec }) => `${spec.names.plural}${subresource}`);
      return { apiGroups: [group], resources, verbs };
    });
  const aggregated = (suffix: string, roles: string[], rules: PolicyRule[]): ClusterRole => {
    const to = roles.map((role) => [`${apiGroup}/aggregate-to-${role}`, 'true']);
    const labels = { ...labelsOf(description), ...Object.fromEntries(to) };
    return { apiVersion, kind: 'ClusterRole', metadata: { name: `${name}-${suffix}`, labels }, rules };
  };
  return [
    aggregated('view', ['view', 'edit', 'admin'], rules(['get', 'list', 'watch'])),
    aggregated('edit', ['edit', 'admin'], rules(['create', 'update', 'patch', 'delete', 'deletecollection'])),
  ];
}

/** A role for the whole cluster, and the operator's right to it; nothing where there are no rules. */
export function clusterRole(description: OperatorDescription, name: string, rules: readonly PolicyRule[]): Granted[] {
  if (rules.length === 0) return [];
  const metadata = { name, labels: labelsOf(description) };
  const roleRef = { apiGroup, kind: 'ClusterRole', name };
  return [
    { apiVersion, kind: 'ClusterRole', metadata, rules: [...rules] },
    { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects: subjects(description) },
  ];
}

/** A role for one namespace, and the operator's right to it; nothing where there are no rules. */
export function namespacedRole(
  description: OperatorDescription,
  name: string,
  namespace: string,
  rules: readonly PolicyRule[],
): Granted[] {
  if (rules.length === 0) return [];
  const metadata = { name, namespace, labels: labelsOf(description) };
  const roleRef = { apiGroup, kind: 'Role', name };
  return [
    { apiVersion, kind: 'Role', metadata, rules: [...rules] },
    { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects: subjects(description) },
  ];
}

function subjects(description: OperatorDescription) {
  return [{ kind: 'ServiceAccount', name: description.name, namespace: namespaceOf(description) }];
}
