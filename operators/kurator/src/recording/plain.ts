/** What is written into a status, where more people can read it than where it came from. */
import { withoutSecrets } from '@kurator/sdk';

/** As the server will have it: without what JSON can't say, and without what looks like a secret. */
export function plain<T extends object>(fields: T): Record<string, unknown> {
  return JSON.parse(JSON.stringify(fields), (_, value) => (typeof value === 'string' ? withoutSecrets(value) : value));
}
