/**
 * What zod has no word for, said on a zod schema. A mark is a zod check, so that it stays with the schema wherever zod
 * takes its checks, and is dropped where zod drops them.
 */
import { z } from 'zod';

/** A CEL rule, as the API server takes it. */
export interface ValidationRule {
  /** CEL; `self` is the value, `oldSelf` what it was before. */
  rule: string;
  /** What is wrong, and what would be right. */
  message?: string;
  /** CEL that makes the message; `message` is used where it fails. */
  messageExpression?: string;
  /** `FieldValueInvalid` unless given. */
  reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** The field to blame, relative to the value: `.replicas`. */
  fieldPath?: string;
  /** Check a rule with `oldSelf` at creation too; `oldSelf` is then an optional: `oldSelf.hasValue()`. */
  optionalOldSelf?: boolean;
}

/** One of the things that can be said. */
export type Mark =
  | { readonly is: 'rule'; readonly rule: ValidationRule }
  | { readonly is: 'immutable'; readonly settable: boolean }
  | { readonly is: 'set' }
  | { readonly is: 'list-map'; readonly keys: readonly string[] }
  | { readonly is: 'size'; readonly min?: number; readonly max?: number }
  | { readonly is: 'embedded' }
  | { readonly is: 'webhook' };

/** Says what is wrong with a value, or undefined. */
export type Complaint<T> = (value: T) => string | undefined;

const key = 'kurator';

/** The same schema with a mark on it; `complaint` is how zod checks what the mark says. */
export function marked<S extends z.ZodType>(schema: S, mark: Mark, complaint?: Complaint<z.output<S>>): S {
  const check = z.check<z.output<S>>((payload) => {
    // Nor does the server look at what is absent.
    const message = payload.value == null ? undefined : complaint?.(payload.value);
    if (message !== undefined) payload.issues.push({ code: 'custom', message, input: payload.value });
  });
  Object.assign(check._zod.def, { [key]: mark });
  return schema.check(check) as S;
}

/** The mark that a check is, or undefined where it is one of zod's own. */
export function markOf(check: z.core.$ZodCheck): Mark | undefined {
  return (check._zod.def as { [key]?: Mark })[key];
}
