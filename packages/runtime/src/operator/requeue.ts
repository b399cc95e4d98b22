import type { ReconcileResult } from '../controller/reconcile.ts';
import { type Duration, parseDuration } from '../duration.ts';

/**
 * Has the object reconciled again after this, unless something changes earlier: `return requeue('30s')`, or beside other
 * results `return { status, ...requeue('30s') }`. A bad duration is refused here, where it was written.
 */
export function requeue(after: Duration): Required<ReconcileResult> {
  return { requeueAfter: parseDuration(after, 'requeue') };
}
