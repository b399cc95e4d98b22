/**
 * Fields that name other objects, or who wrote them. An operator may do more than most people, so what it is told to do for them is checked:
 * `referencePolicyOf` makes an admission policy of these fields.
 */
import type { z } from 'zod';
import { marked, type Reference } from '../mark.ts';

/**
 * Says what a field has the operator do with another object, so that only those can set it who are allowed to do that
 * themselves. A field can have several. `secretKeyRef` and `configMapKeyRef` have theirs already.
 *
 * @example reference(z.object({ name: z.string(), namespace: z.string() }), { to: Deployment, verbs: ['patch'] })
 */
export function reference<S extends z.ZodType>(schema: S, reference: Reference): S {
  return marked(schema, { is: 'reference', reference });
}

/**
 * Leaves out of the policy what a field and everything beneath it refer to: for fields that only those can set who are
 * allowed more anyway. Who may create a Deployment may give its pods every Secret of the namespace.
 */
export function unchecked<S extends z.ZodType>(schema: S): S {
  return marked(schema, { is: 'unchecked' });
}

/**
 * Says who has set fields: whenever one of them, or `by` itself, is set or changed, `by` must be the name of the user who
 * does it, as the API server knows him. Others can be changed by anybody. Only for objects that are in no list.
 *
 * @example signedBy(z.object({ approve: z.string(), approvedBy: z.string() }).partial(), 'approvedBy', ['approve'])
 */
export function signedBy<S extends z.ZodObject>(
  schema: S,
  by: keyof S['shape'] & string,
  fields: readonly (keyof S['shape'] & string)[],
): S {
  return marked(schema, { is: 'signed', by, fields });
}
