/** What an operator says of itself, for tools that install it: follows from its declaration alone, without a cluster. */
import { writeFile } from 'node:fs/promises';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@kurator/client/admissionregistration/v1';
import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import type { OperatorDefinition } from './definition.ts';
import { definitionOf } from './install-crds.ts';
import { hasAuthorizedMetrics, resourcesOf, servesHooks } from './internal/declared-kinds.ts';
import { type Permissions, permissionsOf } from './permissions.ts';

/** What must be known of an operator in order to install it. */
export interface OperatorFacts {
  /** Its Deployment, roles, Lease and field manager are called so. */
  readonly name: string;
  /** The definitions of its own kinds, without where their conversion is served: the operator itself tells that. */
  readonly crds: readonly CustomResourceDefinition[];
  /** Who may set the fields of its kinds that refer to other objects; none where no field does. */
  readonly policies?: readonly (ValidatingAdmissionPolicy | ValidatingAdmissionPolicyBinding)[];
  readonly permissions: Permissions;
  /** Whether it serves webhooks, and so needs a Service in front of it. */
  readonly webhooks: boolean;
  /** Whether its metrics are served over TLS, on port 8443, to those who may read them; false unless given. */
  readonly authorizedMetrics?: boolean;
}

async function factsOf(definition: OperatorDefinition, name: string): Promise<OperatorFacts> {
  const { referencePolicyOf } = await import('@kurator/schema');
  const resources = resourcesOf(definition);
  const policies = resources.flatMap((resource) => referencePolicyOf(resource));
  return {
    name,
    crds: await Promise.all(resources.map(definitionOf)),
    ...(policies.length > 0 ? { policies } : {}),
    permissions: await permissionsOf(definition, name),
    webhooks: servesHooks(definition),
    ...(hasAuthorizedMetrics(definition.options.http) ? { authorizedMetrics: true } : {}),
  };
}

/** Into a file, because a program may write anything on its standard output before it comes to its operator. */
export async function writeFacts(definition: OperatorDefinition, name: string, file: string): Promise<void> {
  await writeFile(file, JSON.stringify(await factsOf(definition, name)));
}
