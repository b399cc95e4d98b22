/** One line a figure: what benchmarks print and write. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

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
    return { ...figure, ratio: ratioOf(figure.value, other?.value ?? Number.NaN) };
  });
}

export function ratioOf(value: number, reference: number): number | null {
  const ratio = value / reference;
  return Number.isFinite(ratio) ? ratio : null;
}

/** As benchmarks/results/NAME.jsonl. */
export async function writeLines(name: string, lines: readonly object[]): Promise<void> {
  const folder = join(import.meta.dirname, '..', 'results');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
