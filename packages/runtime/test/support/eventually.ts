import { eventually as look } from '@kurator/testenv';

/** As the kit's, but for longer: these tests run beside others, on machines that have little to spare. */
export function eventually<T>(attempt: () => T | Promise<T>, timeout = 20_000): Promise<Exclude<T, false>> {
  return look(attempt, { timeout });
}
