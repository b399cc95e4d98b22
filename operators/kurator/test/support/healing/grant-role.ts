/** The operator as the cluster knows it: a service account with the rights that it declares, and no others. */
import {
  type Client,
  ClusterRole,
  ClusterRoleBinding,
  createClient,
  type PolicyRule,
  Role,
  RoleBinding,
} from '@kurator/sdk';
import { healer } from '../../../src/healing/healer.ts';
import { type OptionalRole, optionalRoles } from '../../../src/healing/optional-roles.ts';

const apiGroup = 'rbac.authorization.k8s.io';

/** Somebody with the healer's rights in one namespace. */
export interface Granted extends AsyncDisposable {
  readonly client: Client;
  /** Binds an optional role as well. */
  add(role: OptionalRole): Promise<void>;
}

export async function grantRole({ client, namespace }: { client: Client; namespace: string }): Promise<Granted> {
  const user = `system:serviceaccount:${namespace}:kurator`;
  const subjects = [{ kind: 'User', apiGroup, name: user }];
  const bind = async (name: string, rules: readonly PolicyRule[]) => {
    await client.create(Role, { metadata: { name, namespace }, rules: [...rules] });
    await client.create(RoleBinding, {
      metadata: { name, namespace },
      roleRef: { apiGroup, kind: 'Role', name },
      subjects,
    });
  };
  const permissions = await healer().permissions();
  await bind('kurator', [...permissions.namespaced, ...permissions.own]);
  const name = `kurator-${namespace}`;
  await client.create(ClusterRole, { metadata: { name }, rules: [...permissions.cluster] });
  await client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects,
  });
  const impersonating = createClient({ ...client.config, impersonate: { user } });
  return {
    client: impersonating,
    add: (role) => bind(`kurator-${role}`, optionalRoles[role]),
    [Symbol.asyncDispose]: () => impersonating.close(),
  };
}
