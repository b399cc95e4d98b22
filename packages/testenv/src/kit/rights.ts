/** Who may do what on a control plane that others use at the same time, under the real authorizer and real admission policies. */
import { type Client, createClient, type KubernetesObject, type PolicyRule, Role, RoleBinding } from '@kurator/client';
import type { ValidatingAdmissionPolicyBinding } from '@kurator/client/admissionregistration/v1';

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

/**
 * Writes a ValidatingAdmissionPolicy and its binding so that they count in these namespaces alone. They count a moment
 * later: wait with `eventually` for a first refusal. @param policy As `referencePolicyOf` of @kurator/schema makes it.
 */
export async function enforcePolicy(
  client: Client,
  policy: readonly KubernetesObject[],
  namespaces: readonly string[],
): Promise<void> {
  const here = { key: 'kubernetes.io/metadata.name', operator: 'In', values: [...namespaces] };
  const matchResources = { namespaceSelector: { matchExpressions: [here] } };
  // One name for each: several tests may enforce the same policy.
  const name = `${policy[0]?.metadata.name}.${namespaces[0]}`;
  for (const object of policy) {
    const type = await client.discover(object.apiVersion, object.kind);
    const spec = (object as ValidatingAdmissionPolicyBinding).spec;
    const bound = object.kind.endsWith('Binding') ? { spec: { ...spec, policyName: name, matchResources } } : {};
    await client.create(type, { ...object, ...bound, metadata: { ...object.metadata, name } } as never);
  }
}
