/** Figures of the checks beside what was promised. */
import type { Figure } from '../figures/lines.ts';

/** What the healer's checks are to stay below. */
const targets: readonly (readonly [metric: string, most: number])[] = ['tcp', 'http'].flatMap((kind) => [
  [`${kind}_10000_cores`, 0.5] as const,
  [`${kind}_10000_lateness_p99_ms`, 50] as const,
  [`${kind}_10000_rss`, 200] as const,
  [`${kind}_10000_failed`, 0] as const,
  [`${kind}_50000_missed`, 0] as const,
  [`${kind}_50000_failed`, 0] as const,
]);

/** One line for each target that was measured. */
export function shownTargets(figures: readonly Figure[]): string[] {
  return targets.flatMap(([metric, most]) => {
    const figure = figures.find(({ subject, metric: name }) => subject === 'kurator' && name === metric);
    if (!figure) return [];
    const verdict = figure.value <= most ? 'met' : 'MISSED';
    return [`${verdict}: ${metric} is ${figure.value.toFixed(2)} ${figure.unit}, at most ${most}`];
  });
}
