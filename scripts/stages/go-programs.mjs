/**
 * Programs of others that tests need, built from their published Go modules: once on a machine, before the tests, which
 * should not spend minutes on it. They find them by environment variables.
 */
import { createHash } from 'node:crypto';
import { accessSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runChild } from '../setup/child.mjs';
import { Interrupted } from '../setup/error.mjs';
import { withProgress } from '../setup/progress.mjs';

/**
 * @typedef {object} GoProgram
 * @property {string} name of the program
 * @property {string} package what `go install` takes
 * @property {string} folder below the cache
 * @property {string} variable where tests find its path
 * @property {string[]} usedBy test files
 * @property {string} [source] a folder of ours that it is built from, below the repository's root
 */

const root = join(import.meta.dirname, '..', '..');
const platform = `${process.platform}-${process.arch}`;

/** etcd's own validator, led to a cluster of ours. */
const judge = 'benchmarks/etcd/judge';

/** @type {readonly GoProgram[]} */
export const goPrograms = [
  {
    name: 'alertmanager',
    // The newest one whose module has the files of its web pages in it: later ones are published without, and don't build.
    package: 'github.com/prometheus/alertmanager/cmd/alertmanager@v0.31.1',
    folder: join('alertmanager', `v0.31.1-${platform}`),
    variable: 'KURATOR_TEST_ALERTMANAGER',
    usedBy: ['operators/kurator/test/alertmanager.integration.test.ts', 'e2e/heal-instances.e2e.test.ts'],
  },
  {
    name: 'helm',
    package: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
    folder: join('binaries', `helm-3.22.0-${platform}`),
    variable: 'KURATOR_TEST_HELM',
    usedBy: ['e2e/chart.e2e.test.ts', 'e2e/heal-agent.e2e.test.ts'],
  },
  {
    name: 'registry',
    package: 'github.com/distribution/distribution/v3/cmd/registry@v3.1.2',
    folder: join('binaries', `distribution-3.1.2-${platform}`),
    variable: 'KURATOR_TEST_REGISTRY',
    usedBy: ['packages/registry/test/registry.integration.test.ts'],
  },
  {
    name: 'versitygw',
    package: 'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
    folder: join('versitygw', `v1.8.0-${platform}`),
    variable: 'KURATOR_TEST_VERSITYGW',
    usedBy: [
      ...['contract', 'faults', 'readme'].map((name) => `packages/object-store/test/${name}.integration.test.ts`),
      'e2e/etcd-backup.e2e.test.ts',
    ],
  },
  {
    name: 'judge',
    package: judge,
    source: judge,
    folder: join('etcd-judge', `${digestOf(judge)}-${platform}`),
    variable: 'KURATOR_TEST_ETCD_JUDGE',
    usedBy: ['e2e/etcd-proof.e2e.test.ts'],
  },
];

/**
 * Another for other sources.
 *
 * @param {string} source a folder
 */
function digestOf(source) {
  const digest = createHash('sha256');
  for (const file of readdirSync(join(root, source)).sort())
    digest.update(file).update(readFileSync(join(root, source, file)));
  return digest.digest('hex').slice(0, 12);
}

/** Options of vitest that are followed by a text which may look like a part of a path. */
const PATTERNS = ['-t', '--testNamePattern'];

/**
 * Those that the tests that are about to run need.
 *
 * @param {readonly string[]} files of the stage
 * @param {readonly string[]} args for vitest: a part of a path names files; where there is none all are meant
 */
export function goProgramsFor(files, args) {
  const meant = filesMeant(files, args);
  return goPrograms.filter(({ usedBy }) => usedBy.some((file) => meant.includes(file)));
}

/**
 * The test files that are about to run.
 *
 * @param {readonly string[]} files of the stage
 * @param {readonly string[]} args for vitest: a part of a path names files; where there is none all are meant
 */
export function filesMeant(files, args) {
  const isPath = (/** @type {string} */ arg, /** @type {number} */ at) =>
    !arg.startsWith('-') && !PATTERNS.includes(args[at - 1] ?? '') && files.some((file) => file.includes(arg));
  const paths = args.filter(isPath);
  return files.filter((file) => paths.length === 0 || paths.some((path) => file.includes(path)));
}

/**
 * Builds what was never built on this machine. One that can't be built is said, and left to the tests that need it.
 *
 * @param {readonly GoProgram[]} programs
 * @param {string} [cache]
 * @returns {Promise<Record<string, string>>} the variables by which tests find them
 */
export async function bringGoPrograms(programs, cache = cacheFolder()) {
  /** @type {Record<string, string>} */
  const variables = {};
  for (const program of programs) {
    const path = join(cache, program.folder, program.name);
    if (isThere(path) || (await build(program, dirname(path), path))) variables[program.variable] = path;
  }
  return variables;
}

/**
 * @param {GoProgram} program
 * @param {string} folder
 * @param {string} path
 */
async function build(program, folder, path) {
  mkdirSync(dirname(folder), { recursive: true });
  const making = mkdtempSync(`${folder}.`);
  try {
    const trouble = await withProgress(`Building ${program.package}`, () =>
      program.source ? goBuild(program.source, join(making, program.name)) : goInstall(program.package, making),
    );
    if (trouble) console.log(`${program.package} could not be built with Go: ${trouble}`);
    else moveUnlessThere(making, folder, path);
    return isThere(path);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** @param {string} making @param {string} folder @param {string} path */
function moveUnlessThere(making, folder, path) {
  try {
    renameSync(making, folder);
  } catch (error) {
    // Somebody else may have been quicker.
    if (!isThere(path)) throw error;
  }
}

/**
 * @param {string} what
 * @param {string} folder
 * @returns {Promise<string | undefined>} why not
 */
async function goInstall(what, folder) {
  return await go(['install', ...SMALL, what], { GOBIN: folder });
}

const SMALL = ['-trimpath', '-ldflags', '-s -w'];

/**
 * @param {string[]} args
 * @param {Record<string, string>} variables
 * @param {string} [cwd]
 * @returns {Promise<string | undefined>} why not
 */
async function go(args, variables, cwd = root) {
  const env = { ...process.env, GOFLAGS: '-buildvcs=false', CGO_ENABLED: '0', ...variables };
  try {
    const { code, output, asked } = await runChild('go', args, { stdio: ['ignore', 'pipe', 'pipe'], env, cwd });
    if (asked) throw new Interrupted(asked);
    return code === 0 ? undefined : firstLine(output);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return 'there is no go on the PATH';
    throw error;
  }
}

/**
 * @param {string} source
 * @param {string} path
 * @returns {Promise<string | undefined>} why not
 */
async function goBuild(source, path) {
  return await go(['build', ...SMALL, '-o', path, '.'], {}, join(root, source));
}

/** @param {string} output */
function firstLine(output) {
  return output.split('\n').find((line) => line !== '' && !line.startsWith('go: downloading')) ?? 'it said nothing';
}

/** @param {string} path */
function isThere(path) {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kurator');
}
