/**
 * What zod has no word for, said on a zod schema. A mark is a zod check, so that it stays with the schema wherever zod
 * takes its checks, and is dropped where zod drops them.
 */
import type { ResourceType } from '@kurator/client';
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

/**
 * What a field has the operator do with other objects. The texts are CEL about `self`, the value of the field. Whoever
 * sets the field, or changes it, must be allowed to do the same.
 */
export interface Reference {
  /** The kind of the objects: `Secret`, or a resource of your own. */
  readonly to: ResourceType;
  /** What is done with them, as RBAC calls it: `get`, `patch`, … */
  readonly verbs: readonly string[];
  /** The part of them that it is done with, for example `exec`. */
  readonly subresource?: string;
  /** The name: `self` where the field is a text and `self.name` where it has one, unless given; `*` where it may be any. */
  readonly name?: string;
  /** The namespace: `self.namespace` where the field has one, else that of the object itself, unless given. */
  readonly namespace?: string;
  /** Only where this is true: `self.kind == 'Deployment'`. Always unless given. */
  readonly when?: string;
  /** What must change for it to be checked again; all of the field unless given. */
  readonly value?: string;
}

/** One of the things that can be said. */
export type Mark =
  | { readonly is: 'rule'; readonly rule: ValidationRule }
  | { readonly is: 'immutable'; readonly settable: boolean }
  | { readonly is: 'set' }
  | { readonly is: 'list-map'; readonly keys: readonly string[] }
  | { readonly is: 'size'; readonly min?: number; readonly max?: number }
  | { readonly is: 'embedded' }
  | { readonly is: 'webhook' }
  | { readonly is: 'reference'; readonly reference: Reference }
  | { readonly is: 'signed'; readonly by: string; readonly fields: readonly string[] }
  | { readonly is: 'unchecked' };

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
