import { ClientError } from '@kurator/client';
import { RuntimeError } from '../../error.ts';

/** Why it ended, what helps, and what to search for. */
export function farewell(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof RuntimeError || error instanceof ClientError)) return error.stack ?? error.message;
  const remedy = error instanceof RuntimeError && error.remedy ? `\n  what helps: ${error.remedy}` : '';
  return `${error.message} (${error.code})${remedy}`;
}
