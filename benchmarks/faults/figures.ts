/** Medians of the trials, and the worst of them, beside each other. Pure. */
import { linesOf as beside, type Figure, type Line } from '../figures/lines.ts';
import { median } from '../figures/quantile.ts';
import { markdownTable } from '../figures/table.ts';
import { type Keeper, keepers } from './arena.ts';
import type { FaultKind } from './kinds.ts';
import { LONGEST_SECONDS, type Outcome } from './trial.ts';

/** One trial that has been made. */
export interface Trial {
  readonly kind: Pick<FaultKind, 'name' | 'words'>;
  readonly keeper: Keeper;
  readonly outcome: Outcome;
}

const metrics = [
  ['detected_s', 's', 'known after'],
  ['recovered_s', 's', 'nobody suffers after'],
  ['requests_failed', 'requests', 'requests failed'],
  ['needless_restarts', 'instances', 'restarted without need'],
] as const satisfies readonly (readonly [keyof Outcome, string, string])[];

type Metric = (typeof metrics)[number][0];

/** One line a figure, the median and the worst; what a trial did not come to has none. */
export function linesOf(trials: readonly Trial[]): Line[] {
  const figures = kindsOf(trials).flatMap(({ name }) =>
    metrics.flatMap(([metric, unit]) =>
      keepers.flatMap((subject): Figure[] => {
        const values = valuesOf(trials, name, subject, metric);
        const both = [
          { subject, metric: `${name}_${metric}`, value: median(values), unit },
          { subject, metric: `${name}_${metric}_worst`, value: Math.max(...values), unit },
        ];
        return both.filter(({ value }) => Number.isFinite(value));
      }),
    ),
  );
  return beside(figures, 'kubernetes');
}

/** Lines of other faults stay as they were measured; those of these are replaced. */
export function mergeLines(before: readonly Line[], after: readonly Line[], kinds: readonly string[]): Line[] {
  const isReplaced = ({ metric }: Line) =>
    kinds.some((name) => metrics.some(([one]) => metric.startsWith(`${name}_${one}`)));
  return [...before.filter((line) => !isReplaced(line)), ...after];
}

/** As text, which is Markdown too: the median, and the worst of several in brackets. */
export function tableOf(trials: readonly Trial[]): string {
  const rows = kindsOf(trials).flatMap(({ name, words }) =>
    metrics.map(([metric, unit, what], index) => [
      index === 0 ? words : '',
      what,
      ...keepers.map((keeper) => cell(valuesOf(trials, name, keeper, metric), metric, unit)),
    ]),
  );
  return markdownTable([['fault', 'figure', ...keepers], ...rows]);
}

function cell(values: readonly number[], metric: Metric, unit: string): string {
  const inWords = (value: number) => {
    if (!Number.isFinite(value)) return metric === 'detected_s' ? 'not' : `not in ${LONGEST_SECONDS} s`;
    return unit === 's' ? `${value.toFixed(1)} s` : String(value);
  };
  const [middle, worst] = [inWords(median(values)), inWords(Math.max(...values))];
  return values.length > 1 && worst !== middle ? `${middle} (${worst})` : middle;
}

function kindsOf(trials: readonly Trial[]): Trial['kind'][] {
  return [...new Map(trials.map(({ kind }) => [kind.name, kind])).values()];
}

/** What did not come to pass counts as endless. */
function valuesOf(trials: readonly Trial[], fault: string, keeper: Keeper, metric: Metric): number[] {
  const own = trials.filter((one) => one.kind.name === fault && one.keeper === keeper);
  return own.map(({ outcome }) => outcome[metric] ?? Number.POSITIVE_INFINITY);
}
