/** A spec as the brain takes it: times in milliseconds, and what no schema could refuse. */
import { PermanentError, parseDuration } from '@kurator/sdk';
import { filterProblems } from './brain/filter.ts';
import { type Gates, gateProblems } from './brain/gates.ts';
import { rangeOf } from './brain/policy.ts';
import type { ImageUpdate } from './resources.ts';

/** What of a spec has a length or a time. */
export interface Settings {
  readonly interval: number;
  readonly gates: Gates;
  readonly judgement: { readonly for: number; readonly deadline: number };
}

/** @throws PermanentError `InvalidSpec`, with each field that is wrong and what to write instead. */
export function settingsOf({ spec }: ImageUpdate): Settings {
  const { policy, filter, interval, judgement } = spec;
  const gates: Gates = {
    ...spec.gates,
    maturity: parseDuration(spec.gates.maturity),
    windows: spec.gates.windows.map(({ schedule, duration }) => ({ schedule, duration: parseDuration(duration) })),
    freezes: spec.gates.freezes.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) })),
  };
  const problems = [...rangeProblems(policy.semver?.range), ...filterProblems(filter), ...gateProblems(gates)];
  if (problems.length > 0) throw new PermanentError(problems.join('; '), { reason: 'InvalidSpec' });
  const { for: time, deadline } = judgement;
  return {
    interval: parseDuration(interval),
    gates,
    judgement: { for: parseDuration(time), deadline: parseDuration(deadline) },
  };
}

function rangeProblems(range: string | undefined): string[] {
  if (range === undefined || rangeOf(range)) return [];
  return [`spec.policy.semver.range: ${range} is no range of versions: write it as npm does, such as '>=1.2 <2'`];
}
