/** What only some services need: roles of their own, so that nobody grants it who doesn't use it. */
import { hasCode, type PolicyRule } from '@kurator/sdk';

/** What an optional role is for. */
export type OptionalRole = 'exec' | 'metrics' | 'secrets' | 'agents';

/** Rules by what they are for. Without them such checks read unknown, such metrics and such alerts are not there. */
export const optionalRoles: Readonly<Record<OptionalRole, readonly PolicyRule[]>> = {
  exec: [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] }],
  metrics: [{ apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['get', 'list'] }],
  secrets: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
  /** Only in the namespace of the agents, which is the operator's own; one that works in all namespaces has it anyway. */
  agents: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
};

/** What a role is for that is there unless it is withheld. */
export type WithheldRole = 'workloads';

/** Rules that the operator declares, and that who only adopts what is there can withhold. */
export const withheldRoles: Readonly<Record<WithheldRole, readonly PolicyRule[]>> = {
  workloads: [
    { apiGroups: [''], resources: ['configmaps', 'services'], verbs: ['create', 'patch', 'delete'] },
    { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['create', 'delete'] },
  ],
};

const rulesOf = { ...optionalRoles, ...withheldRoles };

const needs: Readonly<Record<OptionalRole | WithheldRole, string>> = {
  exec: 'to run a command in a container',
  metrics: 'to read what pods use',
  secrets: 'to read a Secret',
  agents: 'to find the agents on the nodes',
  workloads: 'to make services of its own, only to adopt those that are there with spec.targetRef',
};

/** Whether the API server has refused something because no role allows it; an admission webhook's refusal is another thing. */
export function isNotAllowed(error: unknown): boolean {
  return hasCode(error, 'KUR_CLIENT_FORBIDDEN') && error.missingRule !== undefined;
}

/** What is missing and what to do about it, in one line. */
export function roleInWords(role: OptionalRole | WithheldRole): string {
  const rules = rulesOf[role].map(ruleInWords).join(' and ');
  return `the operator is not allowed ${needs[role]}: bind the optional role "${role}" to it, with the rule ${rules}`;
}

function ruleInWords({ apiGroups, resources, verbs }: PolicyRule): string {
  return JSON.stringify({ apiGroups, resources, verbs });
}
