/** Where serving certificates come from: made by the operator, or by another. */
import type { KeyPair } from '@kurator/pki';

export interface Certificates {
  /** What to serve now, and what to have trusted: undefined where another sees to that. */
  read(): Promise<{ readonly serving: KeyPair; readonly bundle: string | undefined }>;
  /**
   * Does what is due, on the ground of what was read last.
   *
   * @param held whether all who ask were told of the bundle that was read.
   * @returns in how many milliseconds to read again; 0: at once.
   */
  advance(held: boolean): Promise<number>;
}
