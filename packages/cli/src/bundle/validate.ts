/** `kurator bundle validate` */
import type { Action } from '@kurator/command';
import { isForPrograms, type OutputOptions, serialised } from '@kurator/command/kube';
import { readBundle } from '../olm/bundle.ts';
import { findingsOf } from '../olm/rules/rules.ts';
import { reported } from './report.ts';

export const validateBundle: Action<OutputOptions, [folder?: string]> = async (context, options, folder) => {
  const findings = findingsOf(await readBundle(folder ?? 'deploy/bundle'));
  if (!isForPrograms(options)) return reported(context, findings);
  context.print(await serialised(findings, options, context.screen));
  return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
};
