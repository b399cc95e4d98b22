/** All parts of one call of the benchmark, and what is made of them. */
import { linesOf, replaceLines, writeLines } from '../figures/lines.ts';
import { type Arena, openArena } from './arena.ts';
import { backupFigures } from './backups.ts';
import { measureCost } from './cost.ts';
import { type Crashes, podCrashes, simulatedCrashes } from './crashes.ts';
import { compareWithDruid, comparison } from './druid/compare.ts';
import { figuresOf, tableOf } from './figures.ts';
import { falsified, type MutantName, mutants } from './mutants.ts';
import { noSpaceFigures } from './nospace.ts';
import { type EtcdOptions, etcdOptions, help } from './options.ts';
import { runsOf, sideBySide } from './runs.ts';
import { scenarioBy } from './scenarios.ts';
import { trial } from './trial.ts';

const say = (text: string) => process.stderr.write(`${text}\n`);
/** A mutant that has not recovered by then has been found. */
const MUTANTS_PATIENCE = 30_000;

export async function run(args: readonly string[]): Promise<void> {
  const options = etcdOptions(args);
  if (options.help) {
    console.log(help);
    return;
  }
  const { isWanted, crashes } = options;
  const cost = isWanted('cost') ? await measureCost() : [];
  const simulated = isWanted('crashes') ? told(await simulatedCrashes(crashes)) : [];
  const onNodes = options.needsNodes ? await onNodesOf(options, simulated) : undefined;
  const figures = [...(onNodes?.figures ?? figuresOf([], undefined, simulated)), ...cost];
  const lines = linesOf(figures, '');
  if (options.isWhole) await writeLines('etcd', lines);
  else if (options.resume) await replaceLines('etcd', lines);
  console.log(tableOf(figures));
  if (onNodes?.isWrong || hasFailed(simulated)) process.exitCode = 1;
}

/** All that takes place on real nodes. What is measured comes first, and has the machine for itself. */
async function onNodesOf(options: EtcdOptions, simulated: readonly Crashes[]) {
  const { isWanted } = options;
  await using arena = await openArena(`bench-etcd-${process.pid}`);
  if (isWanted('druid')) {
    const lines = await compareWithDruid(arena, say);
    await replaceLines(
      'etcd',
      lines.filter(({ subject }) => subject !== 'kurator'),
    );
    console.log(comparison(lines));
  }
  const backups = isWanted('backups') ? await backupFigures(arena) : [];
  const noSpace = isWanted('nospace') ? await noSpaceFigures(arena) : [];
  const outcomes = await runsOf(arena, options, say);
  const missed = await mutantsMissed(arena, options);
  const onPods = isWanted('pod-crashes') ? told(await podCrashes(arena, options.crashes)) : [];
  const wrong = outcomes.filter((outcome) => outcome.wrong);
  for (const { seed, wrong: why } of wrong) console.log(`again: npm run bench -- etcd --seed ${seed}  (${why})`);
  const isWrong = wrong.length > 0 || (missed ?? 0) > 0 || hasFailed(onPods);
  const figures = [...figuresOf(outcomes, missed, [...simulated, ...onPods]), ...backups, ...noSpace];
  return { figures, isWrong };
}

/** How many are not found: of operators that are wrong, and of records that are false; undefined where none is tried. */
async function mutantsMissed(arena: Arena, { isWanted, atOnce }: EtcdOptions): Promise<number | undefined> {
  const wrongOperators = (Object.keys(mutants) as MutantName[]).filter(isWanted).map((name) => async () => {
    const scenario = scenarioBy(mutants[name].scenario);
    const { wrong } = await trial(arena, { seed: 1, scenario, mutant: name, patience: MUTANTS_PATIENCE });
    return { name, found: wrong };
  });
  const falseRecords = falsified.filter(isWanted).map((falsify) => async () => {
    const { verdict } = await trial(arena, { seed: 1, scenario: scenarioBy('kill-follower'), falsify });
    return { name: falsify, found: verdict?.violation };
  });
  let missed = 0;
  const all = [...wrongOperators, ...falseRecords];
  await sideBySide(atOnce, all, async (attempt) => {
    const { name, found } = await attempt();
    say(`mutant ${name}: ${found ? `found: ${found}` : 'NOT FOUND'}`);
    if (!found) missed += 1;
  });
  return all.length > 0 ? missed : undefined;
}

function told(crashes: readonly Crashes[]): readonly Crashes[] {
  for (const { text } of crashes) say(text);
  return crashes;
}

const hasFailed = (crashes: readonly Crashes[]): boolean => crashes.some(({ failed }) => failed > 0);
