/** Many runs: some alone, for what is measured in them; the others side by side; and what is remembered of them from call to call. */
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readLines, resultsFolder } from '../figures/lines.ts';
import type { Arena } from './arena.ts';
import type { EtcdOptions } from './options.ts';
import { scenarios } from './scenarios.ts';
import { type Outcome, scenarioOf, trial } from './trial.ts';

/** By the seed, for one operator: another one has to show it again. */
type Remembered = Outcome & { readonly operator: string };

const MEMORY = 'etcd-runs';

/** The first run of each of these is measured, and has the machine for itself. */
const MEASURED = ['pod-follower', 'kill-leader', 'upgrade'];

const isMeasured = (seed: number) => seed <= scenarios.length && MEASURED.includes(scenarioOf(seed).name);

/** Of all seeds that are meant, those that earlier calls remember among them. */
export async function runsOf(arena: Arena, options: EtcdOptions, say: (text: string) => void): Promise<Outcome[]> {
  const { isWanted, resume, atOnce, minutes } = options;
  const operator = await arena.workshop.digest();
  const seeds = options.seeds.filter((seed) => isWanted(scenarioOf(seed).name));
  const known = resume ? await remembered(operator, seeds) : [];
  if (known.length > 0) say(`${known.length} of ${seeds.length} runs are remembered`);
  const left = seeds.filter((seed) => !known.some((outcome) => outcome.seed === seed));
  const last = performance.now() + minutes * 60_000;
  const done: Outcome[] = [];
  const run = async (seed: number, alone: boolean) => {
    if (performance.now() > last) return;
    const outcome = { ...(await trial(arena, { seed, scenario: scenarioOf(seed) })), alone };
    done.push(outcome);
    say(lineOf(outcome));
    if (resume) await remember({ ...outcome, operator });
  };
  for (const seed of left.filter(isMeasured)) await run(seed, true);
  const rest = left.filter((seed) => !isMeasured(seed));
  await sideBySide(atOnce, rest, async (seed) => await run(seed, atOnce === 1));
  return [...known, ...done].toSorted((a, b) => a.seed - b.seed);
}

/** Each by one of so many who work at once. */
export async function sideBySide<T>(atOnce: number, all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const lane = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

async function remembered(operator: string, seeds: readonly number[]): Promise<Outcome[]> {
  const all = (await readLines(MEMORY)) as Remembered[];
  return all.filter((one) => one.operator === operator && seeds.includes(one.seed));
}

async function remember(outcome: Remembered): Promise<void> {
  await mkdir(resultsFolder, { recursive: true });
  await appendFile(join(resultsFolder, `${MEMORY}.jsonl`), `${JSON.stringify(outcome)}\n`);
}

function lineOf({ seed, scenario, createdS, recoveredS, verdict, gapAfterS, wrong }: Outcome): string {
  const facts = [
    `made in ${createdS.toFixed(1)} s`,
    recoveredS !== undefined && `well again after ${recoveredS.toFixed(1)} s`,
    verdict && `${verdict.acknowledged} writes, ${verdict.operations} operations of which ${verdict.failed} failed`,
    verdict && `${verdict.watchEvents} watched events`,
    verdict && `longest gap ${Math.round(verdict.gapMs)} ms, ${gapAfterS?.toFixed(1)} s after it began`,
    verdict && `judged in ${verdict.took.toFixed(1)} s`,
  ];
  return `seed ${seed}, ${scenario}: ${wrong ? `WRONG: ${wrong}; ` : ''}${facts.filter(Boolean).join(', ')}`;
}
