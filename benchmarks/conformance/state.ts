/** What was run so far, kept in the user's cache so that the next call goes on from there. */
import { appendFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { benchmarkCache } from '../subjects/workshop.ts';
import type { Outcome } from './outcome.ts';

export interface State {
  /** By the test's name; the last word on each. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Where the suite's own reports and output of one part go; it is there. */
  folderOf(part: string): Promise<string>;
  /** Written before it returns: whoever ends this process in the next moment loses nothing. */
  add(outcomes: readonly Outcome[]): void;
}

export async function openState(version: string, { fresh }: { readonly fresh: boolean }): Promise<State> {
  const folder = join(benchmarkCache(), `conformance-results-${version}`);
  const file = join(folder, 'outcomes.jsonl');
  if (fresh) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const text = await readFile(file, 'utf8').catch(() => '');
  const outcomes = new Map(linesOf(text).map((outcome) => [outcome.name, outcome]));
  return {
    outcomes,
    async folderOf(part) {
      const own = join(folder, part);
      await mkdir(own, { recursive: true });
      return own;
    },
    add(more) {
      const news = more.filter(({ name, state }) => state !== 'passed' || outcomes.get(name)?.state !== 'passed');
      for (const outcome of news) outcomes.set(outcome.name, outcome);
      appendFileSync(file, news.map((outcome) => `${JSON.stringify(outcome)}\n`).join(''));
    },
  };
}

function linesOf(text: string): Outcome[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Outcome);
}
