import { messageOf, TestenvError } from '../../error.ts';

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
