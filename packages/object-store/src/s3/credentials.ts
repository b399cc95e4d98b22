/** Who we are to a server of S3. */
import { inspect } from 'node:util';
import { ObjectStoreError } from '../error.ts';

/** Credentials, as a Secret holds them. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For those that last only a while. */
  readonly sessionToken?: string;
}

/** Credentials, or where to ask for them: before every request, so that those that were changed are used at once. */
export type S3CredentialsSource = S3Credentials | (() => S3Credentials | Promise<S3Credentials>);

/** Keeps credentials out of logs: neither `console.log` nor `JSON.stringify` of what holds it shows them. */
export class CredentialsHolder {
  readonly #source: S3CredentialsSource;

  constructor(source: S3CredentialsSource) {
    this.#source = source;
  }

  async get(): Promise<S3Credentials> {
    const credentials = typeof this.#source === 'function' ? await this.#source() : this.#source;
    for (const field of ['accessKeyId', 'secretAccessKey'] as const) {
      const value = credentials[field];
      // A line's end is what `echo` put into the Secret; what it would look like is a wrong signature.
      if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) continue;
      throw new ObjectStoreError(
        'KUR_STORE_CREDENTIALS',
        `credentials.${field} is missing, or has spaces, line ends or other characters that no such key has: look at the Secret it comes from.`,
      );
    }
    return credentials;
  }

  toJSON(): string {
    return '[credentials]';
  }

  [inspect.custom](): string {
    return '[credentials]';
  }
}
