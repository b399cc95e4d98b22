/** Admission policies on a control plane that others use at the same time. */
import type { Client, KubernetesObject } from '@kurator/client';
import type { ValidatingAdmissionPolicyBinding } from '@kurator/client/admissionregistration/v1';

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
