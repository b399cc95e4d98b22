/** `kurator bundle validate`, and how findings are told. */
import type { Action, ActionContext } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import { readBundle } from '../olm/bundle.ts';
import type { Finding } from '../olm/finding.ts';
import { findingsOf } from '../olm/rules/rules.ts';

export const validateBundle: Action<OutputOptions, [folder?: string]> = async (context, options, folder) => {
  const findings = findingsOf(await readBundle(folder ?? 'deploy/bundle'));
  if (!isForPrograms(options)) return reported(context, findings);
  context.print(await serialised(findings, options, context.screen));
  return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
};

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
