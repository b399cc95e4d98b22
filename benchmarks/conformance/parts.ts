/** Which tests are still to be run, and in which portions. Pure. */
import type { Outcome, Test } from './outcome.ts';

/** Tests that one start of the suite runs, and that are remembered together. */
export interface Part {
  readonly tests: readonly Test[];
  /** Whether nothing else may run at the same time: the suite's own word, `[Serial]`. */
  readonly isSerial: boolean;
}

export interface Wish {
  readonly focus: RegExp;
  readonly size: number;
  /** Whether what failed is run again. */
  readonly retry: boolean;
}

/**
 * What is left of the tests, those that want to be alone last. Neighbours in the suite want the same of a cluster, and
 * often wait for the same; dealt out like cards, every part gets something of everything, and takes about as long.
 */
export function partsOf(
  tests: readonly Test[],
  outcomes: ReadonlyMap<string, Outcome>,
  { focus, size, retry }: Wish,
): Part[] {
  const left = tests.filter(({ name }) => {
    const state = outcomes.get(name)?.state;
    return focus.test(name) && (state === undefined || (retry && state === 'failed'));
  });
  return [false, true].flatMap((isSerial) => {
    const alike = left.filter((test) => test.isSerial === isSerial);
    const count = Math.ceil(alike.length / size);
    return Array.from({ length: count }, (_, part) => ({
      isSerial,
      tests: alike.filter((_, index) => index % count === part),
    }));
  });
}

/** What ginkgo calls the suite, and puts before the name of each test. */
const SUITE = 'Kubernetes e2e suite';

/** An expression that ginkgo finds these tests by, and no other: some names begin with another's. */
export function focusOn(tests: readonly Test[]): string {
  const names = tests.map(({ name }) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return `^${SUITE} (?:${names.join('|')})$`;
}
