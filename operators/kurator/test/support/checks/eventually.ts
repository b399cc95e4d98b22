import { eventually as look } from '@kurator/testenv';

/** As the kit's, but for longer, more often, and with what is not there yet counting as not so. */
export async function eventually<T>(seen: () => T | undefined | false, withinMs = 20_000): Promise<T> {
  const isThere = (value: T | undefined | false) => value !== undefined && value !== false;
  return (await look(seen, { timeout: withinMs, interval: 5, until: isThere })) as T;
}
