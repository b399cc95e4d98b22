/** A node as the brain sees it. */
import type { Node } from '@kurator/sdk';
import type { NodeObservation } from '../brain/observation.ts';
import { timeOf } from './moment.ts';

/** Whoever sets it promises that nothing runs there any more. */
const outOfService = 'node.kubernetes.io/out-of-service';

/** Nodes by name; one that is named and not there is gone. */
export function observeNode(name: string, node: Node | undefined, now: number): NodeObservation {
  if (!node) return { name, ready: 'unknown', since: now, gone: true };
  const { conditions = [] } = node.status ?? {};
  const ready = conditions.find(({ type }) => type === 'Ready');
  // But for Ready, all that nodes say of themselves is bad when it is true.
  const complaints = conditions.filter(({ type, status }) => type !== 'Ready' && status === 'True');
  return {
    name,
    ready: ready?.status === 'True' ? 'true' : ready?.status === 'False' ? 'false' : 'unknown',
    since: timeOf(ready?.lastTransitionTime) ?? now,
    gone: node.spec?.taints?.some(({ key }) => key === outOfService) ?? false,
    ...(complaints.length > 0 && { complaints: complaints.map(({ type }) => type).sort() }),
  };
}
