/** Runs an operator as what the process is for. */

import { ClientError } from '@kurator/client';
import { RuntimeError } from '../error.ts';
import type { OperatorDefinition } from './definition.ts';
import { dryRunOperator } from './dry-run/dry-run.ts';
import { writeFacts } from './facts.ts';
import type { StartOptions } from './operator-options.ts';
import { startOperator } from './start.ts';

/** How an operator is run. */
export interface RunOptions extends Omit<StartOptions, 'signals'> {
  /**
   * Prints what would be written, writes nothing, and ends the process: with exit code 1 if a reconcile failed. False
   * unless given here or by the environment variable KURATOR_DRY_RUN.
   */
  dryRun?: boolean;
}

export async function runOperator(
  definition: OperatorDefinition,
  name: string,
  options: RunOptions = {},
): Promise<void> {
  try {
    // How the `kurator` command learns what to install: the program is run, and says so instead of starting.
    const facts = process.env.KURATOR_FACTS;
    if (facts) return await writeFacts(definition, name, facts);
    if (options.dryRun ?? isOn(process.env.KURATOR_DRY_RUN)) return await printDryRun(definition, name, options);
    const running = await startOperator(definition, name, { ...options, signals: true });
    await running.ended;
  } catch (error) {
    process.stderr.write(`${name}: ${fatalMessage(error)}\n`);
    // Something may still be open, or act: ending is the only way to be sure that it doesn't.
    process.exit(1);
  }
}

async function printDryRun(definition: OperatorDefinition, name: string, options: RunOptions): Promise<void> {
  const report = await dryRunOperator(definition, name, options);
  process.stdout.write(`${report}\n`);
  process.exitCode = report.failures.length > 0 ? 1 : 0;
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no'].includes(value.toLowerCase());
}

/** Why it ended, what helps, and what to search for. */
export function fatalMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof RuntimeError || error instanceof ClientError)) return error.stack ?? error.message;
  const remedy = error instanceof RuntimeError && error.remedy ? `\n  what helps: ${error.remedy}` : '';
  return `${error.message} (${error.code})${remedy}`;
}
