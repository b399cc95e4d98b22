/** Medians of the trials, beside each other. Pure. */
import { markdownTable } from '../figures/table.ts';
import { type Keeper, keepers } from './arena.ts';
import type { Outcome } from './trial.ts';

export type Trials = { fault: string; keeper: Keeper; outcome: Outcome }[];

const metrics = [
  ['detected_s', 's', 'known after'],
  ['recovered_s', 's', 'nobody suffers after'],
  ['requests_failed', 'requests', 'requests failed'],
  ['needless_restarts', 'instances', 'restarted without need'],
] as const satisfies readonly (readonly [keyof Outcome, string, string])[];

export interface Line {
  readonly subject: Keeper;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** To Kubernetes' own; null where there is none. */
  readonly ratio: number | null;
}

/** One line a figure; what most trials did not come to has none. */
export function linesOf(trials: Trials): Line[] {
  return faultsOf(trials).flatMap((fault) =>
    metrics.flatMap(([metric, unit]) =>
      keepers.flatMap((subject): Line[] => {
        const value = medianOf(trials, fault, subject, metric);
        const other = medianOf(trials, fault, 'kubernetes', metric);
        if (value === undefined) return [];
        const ratio = value / (other ?? Number.NaN);
        return [{ subject, metric: `${fault}_${metric}`, value, unit, ratio: Number.isFinite(ratio) ? ratio : null }];
      }),
    ),
  );
}

export function tableOf(trials: Trials): string {
  const rows = faultsOf(trials).flatMap((fault) =>
    metrics.map(([metric, unit, words]) => [
      `${fault}: ${words}`,
      ...keepers.map((keeper) => {
        const value = medianOf(trials, fault, keeper, metric);
        return value === undefined
          ? 'not in 90 s'
          : `${unit === 's' ? value.toFixed(1) : value}${unit === 's' ? ' s' : ''}`;
      }),
    ]),
  );
  return markdownTable([['', ...keepers], ...rows]);
}

function faultsOf(trials: Trials): string[] {
  return [...new Set(trials.map(({ fault }) => fault))];
}

/** The middle one; undefined if that is one that has no value. */
function medianOf(trials: Trials, fault: string, keeper: Keeper, metric: keyof Outcome): number | undefined {
  const own = trials.filter((one) => one.fault === fault && one.keeper === keeper);
  const values = own.map(({ outcome }) => outcome[metric] ?? Number.POSITIVE_INFINITY).toSorted((a, b) => a - b);
  const middle = values[Math.floor(values.length / 2)];
  return middle === undefined || !Number.isFinite(middle) ? undefined : middle;
}
