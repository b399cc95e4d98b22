/** Why an object is not put, in the same words for both kinds. */
import { isStoreError, ObjectStoreError, type ObjectStoreErrorDetails } from '../error.ts';
import type { CheckedPut } from './options.ts';

/** The condition does not hold. */
export function conditionFails(
  put: CheckedPut,
  location: string,
  details: ObjectStoreErrorDetails = {},
): ObjectStoreError {
  const { key, ifAbsent, ifMatch } = put;
  const where = `${key} in ${location}`;
  if (ifAbsent)
    return new ObjectStoreError('KUR_STORE_EXISTS', `${where} exists already: choose another key, or leave it.`, {
      ...details,
      key,
    });
  return new ObjectStoreError(
    'KUR_STORE_CHANGED',
    `${where} is not the object with the etag ${ifMatch} any more: read it again, and decide anew.`,
    { ...details, key },
  );
}

/** Throws if the content is not the one that was announced. */
export function expectDigest({ key, sha256: expected }: CheckedPut, sha256: string): void {
  if (expected === undefined || expected === sha256) return;
  throw new ObjectStoreError(
    'KUR_STORE_DIGEST',
    `${key} was not put: its content has the SHA-256 ${sha256}, and was said to have ${expected}.`,
    { key },
  );
}

/** Whether an upload can be given up after this error: the same call would only fail again. */
export function isFinal(error: unknown): boolean {
  return isStoreError(error, 'KUR_STORE_EXISTS', 'KUR_STORE_CHANGED', 'KUR_STORE_DIGEST', 'KUR_STORE_TOO_LARGE');
}
