/** Says what is wrong with a check's definition, and how to write it. Such a check reads unknown, never failing. */
export class InvalidCheck extends Error {
  override readonly name = 'InvalidCheck';
}

/** Throws {@link InvalidCheck} unless the condition holds. */
export function must(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvalidCheck(message);
}
