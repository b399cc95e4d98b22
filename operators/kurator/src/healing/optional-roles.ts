/** What only some services need: roles of their own, so that nobody grants it who doesn't use it. */
import type { PolicyRule } from '@kurator/sdk';

/** Rules by what they are for. Without them such checks read unknown, and such metrics are not there. */
export const optionalRoles: Readonly<Record<'exec' | 'metrics', readonly PolicyRule[]>> = {
  exec: [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] }],
  metrics: [{ apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['get', 'list'] }],
};
