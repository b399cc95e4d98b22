/** What an operator makes for itself in a cluster, and how that is told from what somebody else made under the same name. */
import { type KubernetesObject, Lease, type ResourceType, Secret } from '@kurator/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { namespaceOf, type OperatorDescription } from '../manifests/description.ts';

const MANAGED_BY = 'app.kubernetes.io/managed-by';
/** As the server calls whoever writes by the SDK and gives no name. */
const SDK_MANAGER = 'kurator';

/** One object, by its name. */
export interface OwnObject {
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace?: string;
}

/** Its Lease; with webhooks, their registrations and keys; with metrics over TLS, their keys. */
export function ownObjects(description: OperatorDescription): OwnObject[] {
  const { name, webhooks, authorizedMetrics } = description;
  const namespace = namespaceOf(description);
  const registrations = [
    // Nobody answers the webhooks any more, and they would refuse every write.
    { type: ValidatingWebhookConfiguration, name },
    { type: MutatingWebhookConfiguration, name },
    { type: Secret, name: `${name}-webhooks`, namespace },
  ];
  return [
    { type: Lease, name, namespace },
    ...(webhooks ? registrations : []),
    ...(authorizedMetrics ? [{ type: Secret, name: `${name}-metrics`, namespace }] : []),
  ];
}

/** Whether it is one of them, and the operator made it. */
export function isMadeByOperator(
  { kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>,
  description: OperatorDescription,
): boolean {
  const isNamed = ownObjects(description).some(({ type, name }) => type.kind === kind && name === metadata.name);
  if (!isNamed) return false;
  // Registrations and keys say whose they are; a Lease says nothing but who has written it.
  return kind === Lease.kind
    ? (metadata.managedFields?.some(({ manager }) => manager === SDK_MANAGER) ?? false)
    : metadata.labels?.[MANAGED_BY] === description.name;
}
