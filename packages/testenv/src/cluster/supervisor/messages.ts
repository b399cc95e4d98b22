import { messageOf, TestenvError } from '../../error.ts';

/**
 * What a supervisor tells the process that started it, one JSON object a line on standard output, until it
 * says `ready` or `failed`. On its standard input it expects `detach` from an owner that will not wait for
 * the cluster's end; an input that closes without that word means that the owner is gone, and the cluster goes too.
 */
export type SupervisorMessage =
  | { type: 'info'; message: string }
  | { type: 'verbose'; message: string }
  | { type: 'progress'; task: string; fraction?: number; detail?: string }
  | { type: 'ready' }
  | ({ type: 'failed' } & ErrorMessage);

export const detachWord = 'detach';

/** An error as it crosses from the supervisor to another process. */
export interface ErrorMessage {
  code: string;
  message: string;
  remedy?: string;
}

/** `code` is for errors that have none of their own. */
export function errorMessage(error: unknown, code: string): ErrorMessage {
  if (error instanceof TestenvError) {
    return { code: error.code, message: error.message, ...(error.remedy ? { remedy: error.remedy } : {}) };
  }
  return { code, message: messageOf(error) };
}
