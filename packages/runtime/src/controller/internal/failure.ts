import { ClientError, isConflict } from '@kurator/client';
import type { ReconcileOutcome } from '../observer.ts';
import { PermanentError } from '../permanent-error.ts';

// Somebody who is quicker this many times in a row is no accident, and should be seen.
const QUIET_CONFLICTS = 5;

/** What kind of failure it is that a reconcile threw. */
export function outcomeOf(error: unknown, failures: number): ReconcileOutcome {
  if (error instanceof PermanentError) return 'permanent';
  if (isConflict(error) && !isOwnershipConflict(error) && failures < QUIET_CONFLICTS) return 'conflict';
  return 'error';
}

/** Milliseconds that the server asked to be left alone. */
export function retryAfter(error: unknown): number {
  return error instanceof ClientError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
}

/** Two managers want the same field to be different: no newer object will change that. */
function isOwnershipConflict(error: unknown): boolean {
  return error instanceof ClientError && error.causes.some(({ reason }) => reason === 'FieldManagerConflict');
}
