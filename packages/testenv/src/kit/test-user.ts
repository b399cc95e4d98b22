/** Somebody with exactly the rights that a test gives him, under the real authorizer. */
import { type Client, createClient, type PolicyRule, Role, RoleBinding } from '@kurator/client';

const apiGroup = 'rbac.authorization.k8s.io';

/**
 * A client of a user who may do what `rights` says, by namespace, and nothing else: `await using jane = await
 * testUser(test.client, 'jane', { [test.namespace]: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] })`.
 *
 * @param admin One that may grant rights and act for others, such as a test scope's own.
 */
export async function testUser(
  admin: Client,
  user: string,
  rights: Readonly<Record<string, readonly PolicyRule[]>>,
): Promise<Client> {
  for (const [namespace, rules] of Object.entries(rights)) {
    const metadata = { name: `user-${user}`, namespace };
    await admin.create(Role, { metadata, rules: [...rules] });
    const subjects = [{ kind: 'User', apiGroup, name: user }];
    await admin.create(RoleBinding, { metadata, roleRef: { apiGroup, kind: 'Role', name: metadata.name }, subjects });
  }
  return createClient({ ...admin.config, impersonate: { user } });
}
