/** Conditions after the API conventions. */
import type { Condition } from '@kurator/client';
import { RuntimeError } from '../error.ts';

/** What is said about an object; when it became so is not the caller's to say. */
export interface ConditionClaim {
  /** What it is about: CamelCase, for example `Ready`; a domain may precede it: `example.com/Ready`. */
  type: string;
  status: Condition['status'];
  /** Why, in one word that programs can read: CamelCase, for example `ImagePullFailed`. */
  reason: string;
  /** Why, for people; cut off at 32 KiB. */
  message?: string | undefined;
}

/**
 * The conditions with one of them said anew. `lastTransitionTime` stays unless the status changes; `observedGeneration`
 * is always set. The given list is left as it is; if nothing changes, it is what comes back.
 *
 * @param generation metadata.generation of the object that was looked at.
 * @param now Milliseconds since 1970.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  claim: ConditionClaim,
  generation: number | undefined,
  now = Date.now(),
): readonly Condition[] {
  check(claim);
  const list = conditions ?? [];
  const index = list.findIndex(({ type }) => type === claim.type);
  const before = list[index];
  const after = complete(
    claim,
    generation,
    before?.status === claim.status ? before.lastTransitionTime : undefined,
    now,
  );
  if (!before) return [...list, after];
  return isSame(before, after) ? list : list.with(index, after);
}

/** The condition of a type. */
export function conditionOf<C extends Pick<Condition, 'type'>>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

function complete(
  { type, status, reason, message = '' }: ConditionClaim,
  generation: number | undefined,
  since: string | undefined,
  now: number,
): Condition {
  return {
    type,
    status,
    reason,
    message: message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE - 1)}…`,
    lastTransitionTime: since ?? timestamp(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** RFC 3339 in whole seconds, as Kubernetes writes it: with a fraction, each write would seem to change it. */
function timestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

function isSame(a: Condition, b: Condition): boolean {
  return (Object.keys({ ...a, ...b }) as (keyof Condition)[]).every((field) => a[field] === b[field]);
}

const LONGEST_MESSAGE = 32_768;

// The patterns and lengths of metav1.Condition's own schema: what breaks them is refused by every CRD that uses it.
const typePattern =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const statuses = new Set(['True', 'False', 'Unknown']);

function check({ type, status, reason }: ConditionClaim): void {
  if (!typePattern.test(type) || type.length > 316) {
    throw invalid(`type ${JSON.stringify(type)}`, 'use CamelCase such as Ready, after a domain and "/" if you like');
  }
  if (!statuses.has(status))
    throw invalid(`status ${JSON.stringify(status)} of ${type}`, "use 'True', 'False' or 'Unknown'");
  if (!reasonPattern.test(reason) || reason.length > 1024) {
    throw invalid(`reason ${JSON.stringify(reason)} of ${type}`, 'use one word in CamelCase such as ImagePullFailed');
  }
}

function invalid(what: string, remedy: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_BAD_CONDITION', `condition: ${what} breaks the API conventions`, { remedy });
}
