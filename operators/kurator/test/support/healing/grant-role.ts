/** The operator as the cluster knows it: a service account with the rights that it declares, and no others. */
import {
  type Client,
  ClusterRole,
  ClusterRoleBinding,
  createClient,
  type PolicyRule,
  Role,
  RoleBinding,
  rulesWithout,
} from '@kurator/sdk';
import { type OptionalRole, optionalRoles, withheldRoles } from '../../../src/access/optional-roles.ts';
import { healer } from '../../../src/healer/healer.ts';

const apiGroup = 'rbac.authorization.k8s.io';

/** Somebody with the healer's rights in one namespace. */
export interface Granted extends AsyncDisposable {
  readonly client: Client;
  /** Binds an optional role as well. */
  add(role: OptionalRole): Promise<void>;
}

/** Whom it is granted, and what of it. */
interface Grantee {
  /** `kurator` unless given. */
  readonly account?: string;
  /** What is not granted of what the healer declares; nothing unless given. */
  readonly withheld?: readonly PolicyRule[];
}

/** For those who never want it to make or delete a workload. */
export const adoptOnly: Grantee = { account: 'kurator-adopting', withheld: withheldRoles.workloads };

export async function grantRole(
  { client, namespace }: { client: Client; namespace: string },
  { account = 'kurator', withheld = [] }: Grantee = {},
): Promise<Granted> {
  const user = `system:serviceaccount:${namespace}:${account}`;
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
  await bind(account, [...rulesWithout(permissions.namespaced, withheld), ...permissions.own]);
  const name = `${account}-${namespace}`;
  await client.create(ClusterRole, { metadata: { name }, rules: [...permissions.cluster] });
  await client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects,
  });
  const impersonating = createClient({ ...client.config, impersonate: { user } });
  return {
    client: impersonating,
    add: (role) => bind(`${account}-${role}`, optionalRoles[role]),
    [Symbol.asyncDispose]: () => impersonating.close(),
  };
}
