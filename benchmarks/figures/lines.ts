/** One line a figure: what benchmarks print and write. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
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

/** What is measured on this machine; git does not know it. */
export const resultsFolder = join(import.meta.dirname, '..', 'results');

/** What benchmarks/results/NAME.jsonl holds; nothing where it is not there. */
export async function readLines(name: string): Promise<unknown[]> {
  const text = await readFile(join(resultsFolder, `${name}.jsonl`), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

/** As benchmarks/results/NAME.jsonl. */
export async function writeLines(name: string, lines: readonly object[]): Promise<void> {
  await mkdir(resultsFolder, { recursive: true });
  await writeFile(join(resultsFolder, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Those before, with these in the place of what was measured of the same subjects. */
export function replaced(before: readonly Line[], lines: readonly Line[]): Line[] {
  const isNew = ({ subject, metric }: Line) => lines.some((line) => line.subject === subject && line.metric === metric);
  return [...before.filter((line) => !isNew(line)), ...lines];
}

/** Into benchmarks/results/NAME.jsonl, beside what is there and in the place of what was measured before. */
export async function replaceLines(name: string, lines: readonly Line[]): Promise<void> {
  await writeLines(name, replaced((await readLines(name)) as Line[], lines));
}
