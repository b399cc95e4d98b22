/** What a reconcile's end says about its object: in the status, and to people. */
import { hasCode, isConflict, type KubernetesObject } from '@kurator/client';
import { PermanentError } from '../../controller/permanent-error.ts';
import { messageOf, RuntimeError } from '../../error.ts';
import { type ConditionClaim, conditionOf } from '../../writing/condition.ts';
import type { AuthorResult } from '../author.ts';
import { ChildrenError } from '../children-error.ts';

interface KeptStatus {
  conditions?: ConditionClaim[];
  observedGeneration?: number;
}

/** The status after a success: the author's fields, or those that were there, and what is kept for him. */
export function statusAfter(
  object: KubernetesObject,
  { status, conditions = [] }: Pick<AuthorResult<KubernetesObject>, 'status' | 'conditions'>,
): object {
  const { conditions: _, ...before } = statusOf(object);
  return { ...(status ?? before), ...generationOf(object), conditions: [...conditions] };
}

/** A status with the condition that says so, unless it says so in its own way. */
export function withSuccess(status: { conditions?: ConditionClaim[] }, condition: string): object {
  const { conditions = [] } = status;
  if (conditionOf(conditions, condition)) return status;
  return { ...status, conditions: [...conditions, { type: condition, status: 'True', reason: 'Reconciled' }] };
}

/** The status after a failure: what was there, with why it isn't ready. */
export function statusAfterFailure(object: KubernetesObject, condition: string, error: unknown): object {
  const { conditions: _, ...before } = statusOf(object);
  const claim: ConditionClaim = {
    type: condition,
    status: 'False',
    reason: reasonOf(error),
    message: noteOf(error),
  };
  return { ...before, ...generationOf(object), conditions: [claim] };
}

// One or two failures may be a server that restarts: nobody needs to hear of them.
const PATIENCE = 2;

/** Whether a failure is worth telling: at once what won't pass by itself, anything else when it doesn't. */
export function isTelling(error: unknown, failures: number): boolean {
  if (isConflict(error) || isAboutLeading(error)) return false;
  return failures >= PATIENCE || isStubborn(error);
}

/** Whoever no longer leads has nothing to say about an object. */
function isAboutLeading(error: unknown): boolean {
  return error instanceof RuntimeError && /^KUR_RUNTIME_(NOT_LEADER|LEADERSHIP_)/.test(error.code);
}

/** One word for a condition or an event. */
export function reasonOf(error: unknown): string {
  if (error instanceof PermanentError) return error.reason;
  return error instanceof ChildrenError ? 'ChildrenFailed' : 'ReconcileFailed';
}

/** What went wrong, and what helps. */
export function noteOf(error: unknown): string {
  const message = messageOf(error);
  const remedy = error instanceof RuntimeError ? error.remedy : undefined;
  return remedy ? `${message}: ${remedy}` : message;
}

const stubborn = ['KUR_CLIENT_INVALID', 'KUR_CLIENT_FORBIDDEN', 'KUR_CLIENT_REFUSED'] as const;

/** The author of the object, of its operator or of its permissions has to do something. */
function isStubborn(error: unknown): boolean {
  if (error instanceof ChildrenError) return error.failed.some((one) => isStubborn(one.error));
  return error instanceof RuntimeError || stubborn.some((code) => hasCode(error, code));
}

function statusOf(object: KubernetesObject): KeptStatus {
  return (object as KubernetesObject & { status?: KeptStatus }).status ?? {};
}

function generationOf({ metadata }: KubernetesObject): { observedGeneration?: number } {
  return metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
}
