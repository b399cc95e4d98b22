/** One run: a new cluster, judged traffic, something happens, and what etcd's own validator says of it. */
import { setTimeout as delay } from 'node:timers/promises';
import { Judge, type JudgeMutant, type Verdict } from '../../e2e/support/etcd-judge.ts';
import { chance } from '../faults/chance.ts';
import { type Arena, Subject } from './arena.ts';
import type { MutantName } from './mutants.ts';
import { isWithout, type Scenario, scenarios } from './scenarios.ts';

/** How a run went. */
export interface Outcome {
  readonly seed: number;
  readonly scenario: string;
  /** Whether it had the machine for itself: only then is what was measured worth something. */
  readonly alone?: boolean;
  /** From the object's creation to three members that run. */
  readonly createdS: number;
  /** From the end of what happened until all is as it is wanted again; absent if that did not come. */
  readonly recoveredS?: number;
  readonly verdict?: Verdict;
  /** From the beginning of what happened until the longest time without a write began. */
  readonly gapAfterS?: number;
  /** What is wrong, in one line; absent where nothing is. */
  readonly wrong?: string;
}

export interface Trial {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly mutant?: MutantName;
  readonly falsify?: JudgeMutant;
  /** How long it may take to recover. */
  readonly patience?: number;
}

/** One seed is always the same scenario, at the same moments: the first seeds are all of them in turn. */
export function scenarioOf(seed: number): Scenario {
  return scenarios[(seed - 1) % scenarios.length] as Scenario;
}

const CREATED = 120_000;
const RECOVERED = 120_000;
const UNDISTURBED = 2000;

export async function trial(
  arena: Arena,
  { seed, scenario, mutant, falsify, patience = RECOVERED }: Trial,
): Promise<Outcome> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  await using subject = await Subject.open(arena, `${mutant ?? falsify ?? 'run'}-${seed}`, mutant);
  await subject.untilRunning(CREATED);
  const createdS = seconds();
  const base = { seed, scenario: scenario.name, createdS };
  await using judge = await Judge.begin(arena.client, subject.place);
  const moment = (what: string) => chance(seed, `${scenario.name} ${what}`);
  await delay(UNDISTURBED + 1000 * moment('begin'));
  const acted = Date.now();
  try {
    const replaced = await scenario.act({ subject, chance: moment });
    const from = performance.now();
    // What has just happened is not known yet.
    if (replaced.length === 0) await delay(UNDISTURBED);
    await subject.untilRunning(patience, (cluster) => isWithout(cluster, replaced));
    const recoveredS = (performance.now() - from) / 1000;
    await judge.end();
    const verdict = await judge.verdict(falsify);
    const wrong = wrongIn(verdict);
    const gapAfterS = (verdict.gapAt - acted) / 1000;
    return { ...base, recoveredS, verdict, gapAfterS, ...(wrong ? { wrong } : {}) };
  } catch (error) {
    const { status } = await subject.etcd();
    const words = process.env.VERBOSE ? `\n${subject.operator.words}\n${judge.said}` : '';
    return { ...base, wrong: `${(error as Error).message}; it says: ${status?.phase}, ${status?.step}${words}` };
  }
}

function wrongIn({ violation, trouble, lost, acknowledged }: Verdict): string | undefined {
  if (violation) return `a promise is broken: ${violation}`;
  if (lost > 0) return `${lost} acknowledged writes are on no disk`;
  if (trouble) return trouble;
  return acknowledged < 20 ? `only ${acknowledged} writes were acknowledged: that says nothing` : undefined;
}
