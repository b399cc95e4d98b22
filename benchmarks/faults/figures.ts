/** Medians of the trials, beside each other. Pure. */
import { linesOf as beside, type Figure, type Line } from '../figures/lines.ts';
import { median } from '../figures/quantile.ts';
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

/** One line a figure; what most trials did not come to has none. */
export function linesOf(trials: Trials): Line[] {
  const figures = faultsOf(trials).flatMap((fault) =>
    metrics.flatMap(([metric, unit]) =>
      keepers.flatMap((subject): Figure[] => {
        const value = medianOf(trials, fault, subject, metric);
        return value === undefined ? [] : [{ subject, metric: `${fault}_${metric}`, value, unit }];
      }),
    ),
  );
  return beside(figures, 'kubernetes');
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

/** Undefined if most have no value. */
function medianOf(trials: Trials, fault: string, keeper: Keeper, metric: keyof Outcome): number | undefined {
  const own = trials.filter((one) => one.fault === fault && one.keeper === keeper);
  const middle = median(own.map(({ outcome }) => outcome[metric] ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(middle) ? middle : undefined;
}
