/**
 * Crash at every step, for any operator: a scenario is played once undisturbed, and then once for each write of the
 * operator with its process killed before, during and after it. Wherever it died, it must end where it ends undisturbed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@kurator/client';
import { messageOf, TestenvError } from '../error.ts';
import { type Duration, toMilliseconds } from '../faults/requests/duration.ts';
import { type Reporter, silent } from '../reporter.ts';
import { sharedClient } from '../shared-control-plane.ts';
import { differences, type Normalise } from './internal/end-state.ts';
import { type CrashWorld, type Life, live, type Stage } from './internal/life.ts';
import { type OperatorProgram, pathOf, startOperator } from './internal/operator-process.ts';
import { allPlans, asked, type Plan, planText, shareOf, variable } from './internal/plan.ts';
import { type CrashReport, failuresText, type PlanResult, tableOf } from './internal/report.ts';

/** What happens to an operator, and what must hold. */
export interface CrashScenario {
  /**
   * Makes objects, changes and deletes them, and waits after each for what the operator is to make of it. It knows
   * nothing of crashes: whatever it waits for comes later when there was one. It begins when the operator watches.
   */
  run(world: CrashWorld): Promise<unknown>;
  /** Throws if something is so that must never be. Asked after each write of the operator, before that is answered. */
  always?(world: CrashWorld): unknown;
  /**
   * Says what of an object counts at the end; undefined leaves it out. Identities, versions, times, addresses, random
   * endings of names and the namespace are already the same in all runs.
   */
  normalise?: Normalise;
}

/** How it is done; everything has a default. */
export interface CrashOptions {
  /** What the command that plays a plan again calls it; the program's path unless given. */
  readonly name?: string;
  /** Administrator of a test cluster, whose namespaces `crash-…` are deleted at the end; of the shared control plane unless given. */
  readonly client?: Client;
  /** How much of all places is tried, from 0 to 1; 1 unless given. `KURATOR_CRASH=all` tries all of them. */
  readonly share?: number;
  /** Another part of them for another number; 1 unless given. */
  readonly seed?: number;
  /** How many run at once; 4 unless given. */
  readonly concurrency?: number;
  /** Ends a run of the scenario that hangs; 3 min unless given. */
  readonly timeout?: Duration;
  /** How long nothing must be asked for or written before the end is looked at; 500 ms unless given. */
  readonly quiet?: Duration;
  /** How long after the scenario's end an operator may take to come to the same end; 30 s unless given. */
  readonly settling?: Duration;
  /** Resources at whose writes nobody is killed, and which are not compared; Events and Leases unless given. */
  readonly leavesOut?: readonly string[];
  /** Told how far it is. */
  readonly reporter?: Reporter;
}

const eventsAndLeases = ['events', 'events.events.k8s.io', 'leases.coordination.k8s.io'];
/** A write that never comes may be bad luck. */
const TRIES = 3;
/** Of the plans that may be missed: more, and the scenario is too different from run to run to say anything. */
const MISSED = 0.25;
/** Of the writes that may be others each time: where most are, most crashes are left out. */
const UNSTEADY = 0.5;

/**
 * Rejects when an operator that was killed somewhere does not end where it ends undisturbed: with a table of all
 * places, what was different, and the command that does it again.
 *
 * @param operator The program that is deployed: `import.meta.resolve('../src/main.ts')`. It finds its API server by
 * KUBECONFIG and its namespace by WATCH_NAMESPACE, as operators of the SDK do.
 */
export async function everyCrash(
  operator: string | URL | OperatorProgram,
  scenario: CrashScenario,
  options: CrashOptions = {},
): Promise<CrashReport> {
  return await everyCrashBy(startOperator, operator, scenario, options, callersFile());
}

/** Like {@link everyCrash}, with another way to start a process: so it can be tested itself. */
export async function everyCrashBy(
  start: Stage['start'],
  operator: string | URL | OperatorProgram,
  scenario: CrashScenario,
  options: CrashOptions,
  file = callersFile(),
): Promise<CrashReport> {
  const program = typeof operator === 'string' || operator instanceof URL ? { program: operator } : operator;
  const { name = relative(process.cwd(), pathOf(program.program)), reporter = reporterByVariable() } = options;
  const { share, seed, concurrency } = checked(options);
  const client = options.client ?? (await sharedClient());
  const folder = await mkdtemp(join(tmpdir(), 'kurator-crash-'));
  const stage: Stage = {
    client,
    operator: program,
    run: (world) => scenario.run(world),
    always: scenario.always && ((world) => scenario.always?.(world)),
    normalise: scenario.normalise,
    leavesOut: options.leavesOut ?? eventsAndLeases,
    timeout: milliseconds(options, 'timeout', 180_000),
    quiet: milliseconds(options, 'quiet', 500),
    settling: milliseconds(options, 'settling', 30_000),
    deletesNamespaces: options.client !== undefined,
    folder,
    start,
  };
  try {
    const [undisturbed, unsteady] = await twiceUndisturbed(stage, name);
    const steady = undisturbed.writes.filter((write) => !unsteady.includes(write));
    const all = allPlans(steady);
    const plans = asked(name, all) ?? shareOf(all, share, seed);
    const results = plans === 'skip' ? [] : await carriedOut(stage, plans, undisturbed, concurrency, name, reporter);
    const facts = { writes: undisturbed.writes, unsteady, results, places: all.length };
    const report: CrashReport = { ...facts, toString: () => tableOf(facts) };
    reporter.info(`${name}\n${report}`);
    judge(report, name, file);
    return report;
  } finally {
    await rm(folder, { recursive: true, force: true });
    if (!options.client) await client.close();
  }
}

/** Twice, for what differs between two that nobody disturbed says nothing about crashes. */
async function twiceUndisturbed(stage: Stage, name: string): Promise<[life: Life, unsteady: string[]]> {
  const lives = await Promise.all([live(stage), live(stage)]).catch((cause) => {
    const message = `${name}: nobody disturbed it, and it failed: ${messageOf(cause)}`;
    throw new TestenvError('KUR_TESTENV_CRASH_SCENARIO', message, {
      cause,
      remedy: 'mend the operator or the scenario first; both must work without crashes',
    });
  });
  const [first, second] = lives as [Life, Life];
  if (first.writes.length === 0) {
    throw new TestenvError('KUR_TESTENV_CRASH_SCENARIO', `${name}: the operator wrote nothing in its namespace`, {
      remedy: 'let the scenario give it something to do, and the program obey KUBECONFIG and WATCH_NAMESPACE',
    });
  }
  const different = differences(second.state, first.state);
  if (different.length > 0) {
    const message = `${name}: two undisturbed runs end differently:\n${different.slice(0, 10).join('\n')}`;
    throw new TestenvError('KUR_TESTENV_CRASH_SCENARIO', message, {
      remedy: 'let the scenario wait for its end, or `normalise` leave out what is by chance',
    });
  }
  const onlyIn = (one: Life, other: Life) => one.writes.filter((write) => !other.writes.includes(write));
  const unsteady = [...onlyIn(first, second), ...onlyIn(second, first)];
  const all = new Set([...first.writes, ...second.writes]).size;
  if (unsteady.length > UNSTEADY * all) {
    const message = `${name}: ${unsteady.length} of ${all} writes are not in both undisturbed runs: ${unsteady.slice(0, 10).join('; ')}`;
    throw new TestenvError('KUR_TESTENV_CRASH_SCENARIO', message, {
      remedy: 'let the scenario wait for each of its steps, and the operator give names that follow from the object',
    });
  }
  const untilFirstWrite = Math.max(first.untilFirstWrite, second.untilFirstWrite);
  return [{ ...first, untilFirstWrite }, unsteady];
}

async function carriedOut(
  stage: Stage,
  plans: readonly Plan[],
  undisturbed: Life,
  concurrency: number,
  name: string,
  reporter: Reporter,
): Promise<PlanResult[]> {
  const results: PlanResult[] = [];
  const left = plans.entries();
  const work = async () => {
    for (const [index, plan] of left) {
      const result = await tried(stage, plan, undisturbed);
      results[index] = result;
      if (result.outcome === 'failed') reporter.verbose([`failed ${planText(plan)}:`, ...result.reasons].join('\n  '));
      const done = Object.keys(results).length;
      const failed = results.filter((result) => result?.outcome === 'failed').length;
      reporter.progress(`${name}: crashes`, done / plans.length, `${done} of ${plans.length}, ${failed} failed`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}

async function tried(stage: Stage, plan: Plan, undisturbed: Life): Promise<PlanResult> {
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const { death, state } = await live(stage, plan, undisturbed);
      if (!death) continue;
      // Whoever was not killed has shown nothing.
      if (death.signal !== 'SIGKILL') throw new Error(`it was to be killed, and ended with exit code ${death.code}`);
      const reasons = differences(state, undisturbed.state);
      return { ...plan, outcome: reasons.length > 0 ? 'failed' : 'passed', reasons };
    }
    return { ...plan, outcome: 'missed', reasons: [] };
  } catch (error) {
    return { ...plan, outcome: 'failed', reasons: messageOf(error).split('\n') };
  }
}

function judge(report: CrashReport, name: string, file: string | undefined): void {
  const { results } = report;
  if (results.some(({ outcome }) => outcome === 'failed')) {
    const text = failuresText(results, (plan) => replayCommand(name, plan, file));
    throw new TestenvError('KUR_TESTENV_CRASH', `${name}: a crash is not survived\n${report}\n\n${text}`, {
      remedy: 'play one again by its command; then let the operator write down what it is about to do, before it does',
    });
  }
  const missed = results.filter(({ outcome }) => outcome === 'missed');
  if (missed.length > MISSED * results.length) {
    const message = `${name}: too many writes did not come again: ${missed.map(planText).join('; ')}\n${report}`;
    throw new TestenvError('KUR_TESTENV_CRASH_SCENARIO', message, {
      remedy: 'let the scenario wait for each of its steps, so that every run has the same writes',
    });
  }
}

/** By the same script of npm, where one is at work. */
function replayCommand(name: string, plan: Plan, file = 'FILE'): string {
  const script = process.env.npm_lifecycle_event;
  const runner = script ? `npm run ${script} --` : 'npx vitest run';
  return `${variable}='${name}: ${planText(plan)}' ${runner} ${file}`;
}

/** The first file of the stack that is not of this package. */
function callersFile(): string | undefined {
  const lines = (new Error().stack ?? '').split('\n').slice(1);
  const files = lines.flatMap((line) => /((file:\/\/)?\/[^():]+):\d+/.exec(line)?.[1] ?? []);
  const paths = files.map((found) => (found.startsWith('file:') ? fileURLToPath(found) : found));
  const caller = paths.find((path) => !path.startsWith(import.meta.dirname));
  return caller && relative(process.cwd(), caller);
}

/** Whoever asks by the variable is at a terminal, and wants to see it. */
function reporterByVariable(): Reporter {
  if (!process.env[variable]) return silent;
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  return { info: say, verbose: say, progress: (task, _, detail) => say(`${task}: ${detail}`) };
}

function checked({ share = 1, seed = 1, concurrency = 4 }: CrashOptions) {
  const rules: [field: string, value: number, isRight: boolean, remedy: string][] = [
    ['share', share, share > 0 && share <= 1, 'give a number above 0, up to 1'],
    ['seed', seed, Number.isSafeInteger(seed), 'give a whole number'],
    [
      'concurrency',
      concurrency,
      Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 64,
      'give 1 to 64',
    ],
  ];
  for (const [field, value, isRight, remedy] of rules) {
    if (!isRight) throw new TestenvError('KUR_TESTENV_OPTION', `everyCrash: ${field} is ${value}`, { remedy });
  }
  return { share, seed, concurrency };
}

function milliseconds(options: CrashOptions, field: 'timeout' | 'quiet' | 'settling', unlessGiven: number): number {
  const found = toMilliseconds(options[field] ?? unlessGiven);
  if (found !== undefined) return found;
  throw new TestenvError('KUR_TESTENV_OPTION', `everyCrash: ${field} is ${JSON.stringify(options[field])}`, {
    remedy: "give milliseconds above 0, or a text such as '30s' or '250ms'",
  });
}
