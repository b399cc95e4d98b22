/** What an operator must be allowed to do, from what it declares: no more, and without running it. */
import type { PolicyRule } from '@kurator/client';
import { type OperatorDefinition, OWN_CLUSTER } from './definition.ts';
import { unneeded } from './internal/declared-kinds.ts';
import { usagesInCluster, usagesInOwnNamespace } from './internal/rbac-usages.ts';
import { settleOptions } from './operator-options.ts';

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
  cluster = OWN_CLUSTER,
): Promise<Permissions> {
  // Loaded when needed: it brings zod along, which an operator without kinds of its own never loads.
  const { rulesFor } = await import('@kurator/schema');
  const settled = settleOptions({ ...unneeded(definition), ...definition.options }, pod);
  const usages = usagesInCluster(definition, name, cluster, settled);
  return {
    namespaced: rulesFor(usages.filter(({ type }) => type.namespaced)),
    cluster: rulesFor(usages.filter(({ type }) => !type.namespaced)),
    own: cluster === OWN_CLUSTER ? rulesFor(usagesInOwnNamespace(definition, name, settled)) : [],
  };
}
