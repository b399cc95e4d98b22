/** `kurator bundle validate` */
import type { Action } from '../../action.ts';
import { readBundle } from './bundle.ts';
import { reported } from './report.ts';
import { findingsOf } from './rules.ts';

/** As commander gives them. */
export interface ValidateOptions {
  output?: 'json';
}

export const validateBundle: Action<ValidateOptions, [folder?: string]> = async (context, options, folder) => {
  const findings = findingsOf(await readBundle(folder ?? 'deploy/bundle'));
  if (options.output !== 'json') return reported(context, findings);
  context.print(JSON.stringify(findings, undefined, 2));
  return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
};
