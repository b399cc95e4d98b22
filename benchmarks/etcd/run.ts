/** All runs of one call of the benchmark, and what is made of them. */
import { type Figure, linesOf, writeLines } from '../figures/lines.ts';
import { type Arena, openArena } from './arena.ts';
import { backupFigures } from './backups.ts';
import { measureCost } from './cost.ts';
import { type Crashes, crashesOf } from './crashes.ts';
import { figuresOf, tableOf } from './figures.ts';
import { falsified, type MutantName, mutants } from './mutants.ts';
import { type EtcdOptions, etcdOptions, help } from './options.ts';
import { scenarioBy } from './scenarios.ts';
import { type Outcome, scenarioOf, trial } from './trial.ts';

const say = (text: string) => process.stderr.write(`${text}\n`);
/** A mutant that has not recovered by then has been found. */
const MUTANTS_PATIENCE = 30_000;

export async function run(args: readonly string[]): Promise<void> {
  const options = etcdOptions(args);
  if (options.help) {
    console.log(help);
    return;
  }
  const onNodes = options.needsNodes ? await onNodesOf(options) : undefined;
  const cost = options.isReplay || !options.isWanted('cost') ? [] : await measureCost();
  const figures = [...(onNodes?.figures ?? []), ...cost];
  if (options.isWhole) await writeLines('etcd', linesOf(figures, ''));
  console.log(tableOf(figures));
  if (onNodes?.isWrong) process.exitCode = 1;
}

/** All that takes place on real nodes. */
async function onNodesOf(options: EtcdOptions): Promise<{ figures: Figure[]; isWrong: boolean }> {
  await using arena = await openArena(`bench-etcd-${process.pid}`);
  const outcomes = await runsOf(arena, options);
  const missed = options.isReplay ? undefined : await mutantsMissed(arena, options);
  const crashes = options.isReplay ? [] : await crashesFrom(arena, options);
  const backups = options.isReplay || !options.isWanted('backups') ? [] : await backupFigures(arena);
  const wrong = outcomes.filter((outcome) => outcome.wrong);
  for (const { seed } of wrong) console.log(`again: npm run bench -- etcd --seed ${seed}`);
  const isWrong = wrong.length > 0 || (missed ?? 0) > 0 || crashes.some(({ failed }) => failed > 0);
  return { figures: [...figuresOf(outcomes, missed, crashes), ...backups], isWrong };
}

async function runsOf(arena: Arena, { seeds, isWanted }: EtcdOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const seed of seeds) {
    const scenario = scenarioOf(seed);
    if (!isWanted(scenario.name)) continue;
    const outcome = await trial(arena, { seed, scenario });
    outcomes.push(outcome);
    say(lineOf(outcome));
  }
  return outcomes;
}

/** How many are not found: of operators that are wrong, and of records that are false; undefined where none is tried. */
async function mutantsMissed(arena: Arena, { isWanted }: EtcdOptions): Promise<number | undefined> {
  if (![...Object.keys(mutants), ...falsified].some(isWanted)) return undefined;
  let missed = 0;
  const judged = (name: string, wrong: string | undefined) => {
    say(`mutant ${name}: ${wrong ? `found: ${wrong}` : 'NOT FOUND'}`);
    if (!wrong) missed += 1;
  };
  for (const name of Object.keys(mutants) as MutantName[]) {
    if (!isWanted(name)) continue;
    const scenario = scenarioBy(mutants[name].scenario);
    const { wrong } = await trial(arena, { seed: 1, scenario, mutant: name, patience: MUTANTS_PATIENCE });
    judged(name, wrong);
  }
  for (const falsify of falsified) {
    if (!isWanted(falsify)) continue;
    const { verdict } = await trial(arena, { seed: 1, scenario: scenarioBy('kill-follower'), falsify });
    judged(falsify, verdict?.violation);
  }
  return missed;
}

async function crashesFrom(arena: Arena, { isWanted, crashes }: EtcdOptions): Promise<Crashes[]> {
  if (!isWanted('crashes')) return [];
  const found = await crashesOf(arena, crashes, 1);
  for (const { text } of found) say(text);
  return found;
}

function lineOf({ seed, scenario, createdS, recoveredS, verdict, wrong }: Outcome): string {
  const facts = [
    `made in ${createdS.toFixed(1)} s`,
    recoveredS !== undefined && `well again after ${recoveredS.toFixed(1)} s`,
    verdict && `${verdict.acknowledged} writes, ${verdict.operations} operations of which ${verdict.failed} failed`,
    verdict && `${verdict.watchEvents} watched events, longest gap ${Math.round(verdict.gapMs)} ms`,
    verdict && `judged in ${verdict.took.toFixed(1)} s`,
  ];
  return `seed ${seed}, ${scenario}: ${wrong ? `WRONG: ${wrong}; ` : ''}${facts.filter(Boolean).join(', ')}`;
}
