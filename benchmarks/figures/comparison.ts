/** Collects what was measured of each subject, and sets it beside the reference. */
import { type Line, ratioOf } from './lines.ts';
import { inOrder, unitOf } from './metrics.ts';
import { median } from './quantile.ts';
import { markdownTable } from './table.ts';

/** What has been measured so far. */
export class Comparison {
  readonly #reference: string;
  readonly #subjects = new Map<string, Map<string, number[]>>();

  /** Ratios are to `reference`. */
  constructor(reference: string) {
    this.#reference = reference;
  }

  /** Adds one run's figures. */
  note(subject: string, figures: Readonly<Record<string, number>>): void {
    const runs = this.#subjects.get(subject) ?? new Map<string, number[]>();
    this.#subjects.set(subject, runs);
    for (const [metric, value] of Object.entries(figures)) runs.set(metric, [...(runs.get(metric) ?? []), value]);
  }

  /** All figures, subject by subject. */
  lines(): Line[] {
    const reference = this.#subjects.get(this.#reference);
    return [...this.#subjects].flatMap(([subject, runs]) =>
      inOrder(runs.keys()).map((metric) => {
        const value = median(runs.get(metric) ?? []);
        const ratio = ratioOf(value, median(reference?.get(metric) ?? []));
        return { subject, metric, value, unit: unitOf(metric), ratio };
      }),
    );
  }
}

/** A row a metric, a column a subject, ratios in brackets. */
export function comparisonTable(lines: readonly Line[]): string {
  const subjects = [...new Set(lines.map(({ subject }) => subject))];
  const rows = inOrder(lines.map(({ metric }) => metric)).map((metric) => [
    metric,
    ...subjects.map((subject) => cell(lines.find((line) => line.subject === subject && line.metric === metric))),
  ]);
  return markdownTable([['', ...subjects], ...rows]);
}

function cell(line: Line | undefined): string {
  if (!line) return '';
  const { value, unit, ratio } = line;
  const number = Number.isInteger(value) || value >= 100 ? value.toFixed(0) : value.toFixed(2);
  return `${number} ${unit}${ratio === null ? '' : ` (${ratio.toFixed(2)})`}`;
}
