/** A node as the brain sees it. */

import type { Node } from '@kurator/sdk';
import type { NodeObservation } from '../brain/observation.ts';
import { type Millis, minute } from '../brain/time.ts';

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

/** So long it may take until all nodes that are heard again have said so: kubelets renew their leases first. */
const settled = 2 * minute;

/**
 * When the control plane heard nobody, it takes all nodes for silent at once, and they come back one after the other. So
 * the silence of one is its own only if another was heard all along, or has been back for a while.
 */
export function silentAloneFrom(node: NodeObservation, all: readonly NodeObservation[], now: Millis): Millis {
  const others = all.filter(({ name }) => name !== node.name);
  if (others.length === 0) return node.since;
  const heard = others.filter(({ ready }) => ready === 'true');
  const from = heard.map(({ since }) => (since < node.since ? node.since : since + settled));
  return Math.min(now + settled, ...from);
}

/** A time as Kubernetes writes it; undefined where there is none. */
export function timeOf(text: string | undefined): Millis | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
