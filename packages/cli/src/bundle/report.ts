/** Findings for people, and whether they are bad. */
import type { ActionContext } from '@kurator/command';
import type { Finding } from '../olm/finding.ts';

/** Prints them; the exit code is 1 if there is an error. */
export function reported({ print }: Pick<ActionContext, 'print'>, findings: readonly Finding[]): number {
  for (const finding of findings) print(lineOf(finding));
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  print(`${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`);
  return errors > 0 ? 1 : 0;
}

function lineOf({ severity, at, message, remedy }: Finding): string {
  return `${severity.padEnd(8)} ${at}: ${message}: ${remedy}`;
}

function counted(count: number, what: string): string {
  return `${count || 'no'} ${what}${count === 1 ? '' : 's'}`;
}
