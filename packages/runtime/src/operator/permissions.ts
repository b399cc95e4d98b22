/** What an operator must be allowed to do, from what it declares: no more, and without running it. */
import type { PolicyRule } from '@kurator/client';
import { HOME, type OperatorDefinition } from './definition.ts';
import { actsAtHome, actsAtWork } from './internal/acts.ts';
import { settleOptions } from './internal/surroundings.ts';

/** The rules for roles, by where they have to hold. */
export interface Permissions {
  /** In the namespaces that it works in: a Role in each of them, or a ClusterRole where it works in all. */
  readonly namespaced: readonly PolicyRule[];
  /** For kinds of the whole cluster: a ClusterRole. */
  readonly cluster: readonly PolicyRule[];
  /** In the namespace that it runs in: a Role there. */
  readonly own: readonly PolicyRule[];
}

/** Where it will run decides about its defaults. */
const pod = { KUBERNETES_SERVICE_HOST: 'kubernetes' };

/** @param cluster Another cluster than the operator's own. */
export async function permissionsOf(
  definition: OperatorDefinition,
  name: string,
  cluster = HOME,
): Promise<Permissions> {
  // Loaded when needed: it brings zod along, which an operator without kinds of its own never loads.
  const { rulesFor } = await import('@kurator/schema');
  const settled = settleOptions(definition.options, pod);
  const acts = actsAtWork(definition, name, cluster, settled);
  return {
    namespaced: rulesFor(acts.filter(({ type }) => type.namespaced)),
    cluster: rulesFor(acts.filter(({ type }) => !type.namespaced)),
    own: cluster === HOME ? rulesFor(actsAtHome(definition, name, settled)) : [],
  };
}
