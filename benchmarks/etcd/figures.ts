/** What runs come to. Pure. */
import type { Figure } from '../figures/lines.ts';
import { median } from '../figures/quantile.ts';
import { markdownTable } from '../figures/table.ts';
import type { Crashes } from './crashes.ts';
import type { Outcome } from './trial.ts';

/** @param missed How many mutants were not found; undefined where none were tried. */
export function figuresOf(
  outcomes: readonly Outcome[],
  missed: number | undefined,
  crashes: readonly Crashes[],
): Figure[] {
  const figures: Figure[] = [];
  const add = (metric: string, values: readonly number[], unit: string) => {
    if (values.length > 0) figures.push({ subject: 'kurator', metric, value: median(values), unit });
  };
  const count = (metric: string, value: number) => figures.push({ subject: 'kurator', metric, value, unit: 'count' });
  const measured = outcomes.filter(({ alone }) => alone);
  const gaps = (scenario: string) =>
    measured.flatMap(({ scenario: name, verdict }) => (name === scenario && verdict ? [verdict.gapMs] : []));
  add(
    'create_s',
    measured.map(({ createdS }) => createdS),
    's',
  );
  add('write_gap_follower_ms', gaps('pod-follower'), 'ms');
  add('write_gap_leader_ms', gaps('kill-leader'), 'ms');
  add('leader_move_ms', gaps('upgrade'), 'ms');
  const replaced = measured.filter(({ scenario }) => scenario === 'pod-follower');
  add(
    'replace_s',
    replaced.flatMap(({ recoveredS }) => recoveredS ?? []),
    's',
  );
  if (outcomes.length > 0) {
    const judged = outcomes.filter(({ verdict }) => verdict && !verdict.trouble);
    count('runs', judged.length);
    count('runs_not_judged', outcomes.length - judged.length);
    count(
      'lost_writes',
      outcomes.reduce((sum, { verdict }) => sum + (verdict?.lost ?? 0), 0),
    );
    count('violations', outcomes.filter(({ verdict }) => verdict?.violation).length);
  }
  if (missed !== undefined) count('mutants_missed', missed);
  if (crashes.length > 0) {
    count(
      'crash_points',
      crashes.reduce((sum, { points }) => sum + points, 0),
    );
    count(
      'crash_points_failed',
      crashes.reduce((sum, { failed }) => sum + failed, 0),
    );
  }
  return figures;
}

export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ metric, value, unit }) => [
    metric,
    unit === 'count' ? String(value) : `${value.toFixed(unit === 'cores' ? 3 : unit === 's' ? 1 : 0)} ${unit}`,
  ]);
  return markdownTable([['', 'kurator'], ...rows]);
}
