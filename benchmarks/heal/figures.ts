/** Figures of the checks beside those of the reference, and beside what was promised. */

/** One measurement. */
export interface Figure {
  readonly subject: string;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
}

/** With its ratio to the reference; null where there is none, as of 0 to 0. */
export interface Line extends Figure {
  readonly ratio: number | null;
}

export function linesOf(figures: readonly Figure[], reference: string): Line[] {
  return figures.map((figure) => {
    const other = figures.find(({ subject, metric }) => subject === reference && metric === figure.metric);
    const ratio = figure.value / (other?.value ?? Number.NaN);
    return { ...figure, ratio: Number.isFinite(ratio) ? ratio : null };
  });
}

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
