/** How a handler says no. */

/** What is wrong with a field, in Kubernetes' words; programs read it. */
export type DenialReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden';

/** One objection. Return it, return several in a list, or throw it from wherever it is found. */
export class Denial extends Error {
  /** The path of the field, as `spec.containers[0].image`; undefined when it is the whole request that is refused. */
  readonly field: string | undefined;
  readonly reason: DenialReason;

  /** Use {@link deny} and {@link forbid}. */
  constructor(field: string | undefined, message: string, reason: DenialReason = 'FieldValueInvalid') {
    super(message);
    this.name = 'Denial';
    this.field = field;
    this.reason = reason;
  }
}

/**
 * Refuses because of one field. The user sees the field's name and the message, as from the API server itself (HTTP 422).
 *
 * @param field as `spec.image` or `spec.ports[0].name`.
 * @param message what would be right: `must have a tag`.
 * @param reason `FieldValueInvalid` unless given.
 */
export function deny(field: string, message: string, reason?: DenialReason): Denial {
  return new Denial(field, message, reason);
}

/** Refuses the request as a whole, for example because of who sent it (HTTP 403). */
export function forbid(message: string): Denial {
  return new Denial(undefined, message);
}
