import type { CheckResult } from './check.ts';
import { judge } from './checks.ts';
import { gatherFacts } from './facts.ts';

/** Looks at this machine and says, check by check, what it has for running clusters and what would mend the rest. Changes nothing. */
export async function doctor({ signal }: { signal?: AbortSignal } = {}): Promise<CheckResult[]> {
  return judge(await gatherFacts(signal));
}
