/** How a check came out. */

/** `notApplicable` where there is nothing that could be met; `untested` where it could not be seen, whatever the reason. */
export type Result = 'met' | 'unmet' | 'notApplicable' | 'untested';

export interface Outcome {
  readonly result: Result;
  /** What was seen, or why nothing was. */
  readonly reason: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export function met(reason: string): Outcome {
  return { result: 'met', reason };
}

export function unmet(reason: string, remedy?: string): Outcome {
  return { result: 'unmet', reason, ...(remedy ? { remedy } : {}) };
}

export function notApplicable(reason: string): Outcome {
  return { result: 'notApplicable', reason };
}

export function untested(reason: string, remedy?: string): Outcome {
  return { result: 'untested', reason, ...(remedy ? { remedy } : {}) };
}

/** Unmet with all that is wrong, the first three of it in words; else met. */
export function metUnless(problems: readonly string[], reason: string, remedy?: string): Outcome {
  if (problems.length === 0) return met(reason);
  const more = problems.length > 3 ? ` and ${problems.length - 3} more` : '';
  return unmet(`${problems.slice(0, 3).join('; ')}${more}`, remedy);
}
