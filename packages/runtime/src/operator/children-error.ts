import { messageOf, RuntimeError } from '../error.ts';
import type { Child } from './child.ts';

/** A child that was not applied, and why. */
export interface FailedChild {
  /** Its name in the set. */
  readonly name: string;
  readonly child: Child;
  readonly error?: unknown;
  /** It was not even tried, because this one failed. */
  readonly heldBackBy?: string;
}

/** Some children of a set could not be applied; all others were. */
export class ChildrenError extends RuntimeError {
  readonly failed: readonly FailedChild[];

  constructor(failed: readonly FailedChild[]) {
    const errors = failed.flatMap(({ error }) => (error === undefined ? [] : [error]));
    super('KUR_RUNTIME_CHILDREN', failed.map(described).join('; '), {
      cause: errors.length === 1 ? errors[0] : new AggregateError(errors),
    });
    this.name = 'ChildrenError';
    this.failed = failed;
  }
}

function described({ name, child, error, heldBackBy }: FailedChild): string {
  const what = `${child.type.kind} ${child.manifest.metadata.name ?? `"${name}"`}`;
  if (heldBackBy !== undefined) return `${what} waits for "${heldBackBy}"`;
  const remedy = error instanceof RuntimeError && error.remedy ? `: ${error.remedy}` : '';
  return `${what}: ${messageOf(error)}${remedy}`;
}
