/** Health checks: what is asked, and what came out. */
import { messageOf } from '../error.ts';

/** Undefined (or nothing at all) when it is well, otherwise why it isn't, for people; throwing is a reason too. */
export type Verdict = string | undefined;

/** A question about health that is asked again and again. */
export interface Check {
  readonly name: string;
  // biome-ignore lint/suspicious/noConfusingVoidType: a check that finds nothing wrong need not return anything.
  check(signal: AbortSignal): Promise<Verdict | void> | Verdict | void;
}

/** The answer to one check. */
export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly reason?: string;
}

/** All checks together: well if each is. */
export interface CheckReport {
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
}

// Shorter than the kubelet's own patience is set to anywhere sensible, so that it hears the reason.
const PATIENCE = 2_000;

/** Asks all at once; one that doesn't answer in time is not well. */
export async function runChecks(checks: readonly Check[], patience = PATIENCE): Promise<CheckReport> {
  const results = await Promise.all(checks.map((check) => runCheck(check, patience)));
  return { ok: results.every(({ ok }) => ok), checks: results };
}

async function runCheck({ name, check }: Check, patience: number): Promise<CheckResult> {
  const abort = new AbortController();
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => {
    late.resolve(`did not answer within ${patience / 1000} s`);
    abort.abort(new Error('the check took too long'));
  }, patience);
  try {
    const reason = await Promise.race([check(abort.signal), late.promise]);
    return reason ? { name, ok: false, reason } : { name, ok: true };
  } catch (error) {
    return { name, ok: false, reason: messageOf(error) };
  } finally {
    clearTimeout(timer);
  }
}
