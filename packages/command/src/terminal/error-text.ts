/** How an error is shown: what happened, what mends it, and with `--verbose` what to search for. Pure. */
import { safeText } from './safe-text.ts';

export function errorText(error: unknown, options: { verbose: boolean }): string {
  // What a server says is part of many messages.
  return safeText(textOf(error, options));
}

function textOf(error: unknown, { verbose }: { verbose: boolean }): string {
  if (!(error instanceof Error)) return `error: ${String(error)}`;
  const { remedy, code } = error as Error & { remedy?: string; code?: string };
  const lines = [`error: ${error.message || error.name}`];
  if (remedy) lines.push(`  fix: ${remedy}`);
  if (verbose) lines.push(...(code ? [`  code: ${code}`] : []), ...traces(error));
  else if (!code) lines.push('  (add --verbose to see where this comes from)');
  return lines.join('\n');
}

function traces(error: Error): string[] {
  const trace = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  const { cause } = error;
  if (!(cause instanceof Error)) return trace;
  return [...trace, `  caused by: ${cause.message}`, ...traces(cause)];
}
