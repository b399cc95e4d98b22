/**
 * Runs the stages one after another and sums up; a failing stage doesn't hide what the later ones would say.
 *
 *     npm test                                  every stage
 *     npm test -- --times                       every stage, and where the time went
 *     npm run test:unit -- packages/client      one stage, and arguments for its tool
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from './setup/child.mjs';
import { consentToInstall } from './setup/consent.mjs';
import { Interrupted } from './setup/error.mjs';
import { elapsed, withProgress } from './setup/progress.mjs';
import { countsWithoutContainers, missingForContainers, thisMachine } from './stages/containers.mjs';
import { countsOf, lastLine, NOTHING, sum } from './stages/counts.mjs';
import { failuresOf } from './stages/failures.mjs';
import { bringGoPrograms, filesMeant, goProgramsFor } from './stages/go-programs.mjs';
import { chooseStages, stages, usage } from './stages/stages.mjs';
import { findTestFiles, lanesHere } from './stages/test-files.mjs';
import { timesTable } from './stages/times.mjs';
import { withWatchesFor } from './stages/watch-limit.mjs';

/** @typedef {import('./stages/counts.mjs').Counts} Counts */
/** @typedef {import('./stages/times.mjs').FileTimes} FileTimes */
/** @typedef {{ counts: Counts, failures?: string[], files?: FileTimes[] }} Outcome what a stage came to */

const root = process.cwd();
const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}` };
/**
 * An API server spends a fifth of its time on collecting garbage, and tests keep several of them busy. What it does not collect so
 * often, some hundred MiB, is there: a lane is reckoned with four GiB.
 */
const collectedSeldom = { GOGC: '400' };
const inColour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};

/**
 * @param {import('./stages/stages.mjs').CheckStage} stage
 * @param {string[]} args
 * @returns {Promise<Outcome>}
 */
async function runCheck(stage, args) {
  const [command = '', ...rest] = [...stage.command, ...args];
  const ended = stage.talks
    ? await runChild(command, rest, { stdio: 'inherit', env })
    : await withProgress(stage.title, () =>
        runChild(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, ...inColour } }),
      );
  endIfAsked(ended);
  if (ended.code === 0) return { counts: { ...NOTHING, passed: 1 } };
  console.log(ended.output.trimEnd());
  return { counts: { ...NOTHING, failed: 1 } };
}

/**
 * @param {import('./stages/test-files.mjs').TestStage} name
 * @param {string[]} args
 * @returns {Promise<Outcome>}
 */
async function runTests(name, args) {
  const found = findTestFiles(root, name);
  const files = found.length;
  if (files === 0) {
    console.log('There are none yet.');
    return { counts: NOTHING };
  }
  const missing = name === 'e2e' ? missingForContainers(thisMachine()) : undefined;
  if (missing) {
    console.log(`The end-to-end tests were not run: ${missing}.`);
    return { counts: countsWithoutContainers({ files, ci: process.env.CI === 'true' }) };
  }
  if (name === 'e2e' && !(await prepareNodes())) {
    console.log('The end-to-end tests were not run: what nodes need is not there.');
    return { counts: countsWithoutContainers({ files, ci: process.env.CI === 'true' }) };
  }
  const programs = await bringGoPrograms(goProgramsFor(found, args));
  if (name === 'e2e' && filesMeant(found, args).some((file) => /etcd|tour/.test(file))) await bringEtcd();
  const run = () => runVitest(name, args, programs);
  return name === 'e2e' ? await withWatchesFor(lanesHere(), run) : await run();
}

/** Brings what nodes need before the tests, which have no terminal to ask on. */
async function prepareNodes() {
  return await runSource(['packages/cli/src/main.ts', 'cluster', 'fetch', '--nodes'], consentToInstall());
}

/** Where it can't be had, the tests that need it say why. */
async function bringEtcd() {
  await withProgress('Bringing etcd', () => runSource(['scripts/stages/bring-etcd.mjs'], {}));
}

/**
 * @param {string[]} command a program of ours, from its sources
 * @param {NodeJS.ProcessEnv} variables
 */
async function runSource(command, variables) {
  const flags = ['--conditions=source', '--disable-warning=ExperimentalWarning'];
  const ended = await runChild(process.execPath, [...flags, ...command], {
    stdio: 'inherit',
    env: { ...env, ...variables },
  });
  endIfAsked(ended);
  return ended.code === 0;
}

/**
 * @param {string} project
 * @param {string[]} args
 * @param {Record<string, string>} programs variables by which tests find what they start
 * @returns {Promise<Outcome>}
 */
async function runVitest(project, args, programs) {
  const folder = mkdtempSync(join(tmpdir(), 'kurator-test-'));
  try {
    const report = join(folder, 'report.json');
    const told = join(folder, 'run.json');
    const ours = ['json', 'scripts/stages/run-reporter.mjs'].map((reporter) => `--reporter=${reporter}`);
    const reporters = ['--reporter=default', ...ours, `--outputFile.json=${report}`];
    const run = () =>
      // With the star also those of the stage that run alone: they are a project of their own.
      runChild('vitest', ['run', '--project', `${project}*`, ...reporters, ...args], {
        stdio: 'inherit',
        env: {
          ...collectedSeldom,
          ...env,
          ...programs,
          KURATOR_RUN_FILE: told,
          // The folder is also for what the files of one run share.
          KURATOR_TEST_FOLDER: folder,
          // A quarter of the time to start, for the programs that tests start from their sources.
          NODE_COMPILE_CACHE: join(folder, 'compiled'),
          // What a test says to be run again by: of `npm test` a single file can't be asked for.
          npm_lifecycle_event: `test:${project}`,
        },
      });
    // On a terminal vitest keeps its own line up to date, and two would overwrite each other.
    const ended = process.stderr.isTTY ? await run() : await withProgress(stages[project]?.title ?? project, run);
    endIfAsked(ended);
    /** @type {import('./stages/counts.mjs').VitestReport | undefined} */
    const written = readJson(report);
    /** @type {import('./stages/run-reporter.mjs').Run} */
    const { files, errors } = readJson(told) ?? { files: [], errors: [] };
    return { counts: countsOf(written, ended.code), failures: failuresOf(written, errors, root), files };
  } finally {
    // Who ends just now may still write what it has compiled.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** @param {string} file what vitest wrote, unless it ended before that */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Ctrl-C ends the whole run, not one stage of it.
 *
 * @param {import('./setup/child.mjs').Ended} ended
 */
function endIfAsked({ asked }) {
  if (asked) throw new Interrupted(asked);
}

/**
 * @param {string} name
 * @param {string[]} args
 */
async function runStage(name, args) {
  const stage = stages[name];
  if (!stage) throw new Error(`There is no stage "${name}".`);
  console.log(`\n── ${stage.title} ${'─'.repeat(60 - stage.title.length)}`);
  const start = performance.now();
  const {
    counts,
    failures = [],
    files,
  } = stage.kind === 'check'
    ? await runCheck(stage, args)
    : await runTests(/** @type {import('./stages/test-files.mjs').TestStage} */ (name), args);
  const ms = performance.now() - start;
  console.log(`${counts.failed > 0 ? 'failed' : 'done'} in ${elapsed(ms)}: ${lastLine(counts)}`);
  return { title: stage.title, counts, failures, ms, ...(files ? { files } : {}) };
}

/** @param {string[]} args */
async function main(args) {
  const { names, rest, times, help } = chooseStages(args);
  if (help) {
    console.log(usage);
    return 0;
  }
  const results = [];
  for (const name of names) results.push(await runStage(name, rest));

  const total = sum(results.map(({ counts }) => counts));
  const failed = results.filter(({ counts }) => counts.failed > 0).map(({ title }) => title);
  for (const failure of results.flatMap(({ failures }) => failures)) console.log(`\n${failure}`);
  if (times) console.log(`\n${timesTable(results)}`);
  console.log(failed.length > 0 ? `\nFailed: ${failed.join(', ')}` : '');
  console.log(lastLine(total));
  return total.failed > 0 ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof Interrupted) process.kill(process.pid, error.signal);
  else console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
