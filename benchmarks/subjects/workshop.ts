/**
 * Where the benchmark's operators are built: once for each state of their recipe (all files of the subject's folder),
 * in the cache folder, so that the next run starts at once.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, cp, glob, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { constants, homedir, setPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const BUILD_TIMEOUT = 30 * 60_000;
const OUTPUT_LIMIT = 64 * 2 ** 20;

/** The folders a build works with; neither is where the result is found in the end. */
export interface Workbench {
  /** A copy of the recipe, thrown away after the build. */
  readonly recipe: string;
  /** What is put here is kept. It is moved afterwards, so nothing in it may know its own path. */
  readonly product: string;
}

/** Runs a program of the build and gives what it printed; rejects with what a person needs to know, in one line. */
export type BuildStep = (
  program: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
) => Promise<string>;

/** The folder with what `build` made of `source` (benchmarks/subjects/NAME unless given), now or in an earlier run. */
export async function builtOnce(
  name: string,
  build: (bench: Workbench, step: BuildStep) => Promise<void>,
  source = join(import.meta.dirname, name),
): Promise<string> {
  const finished = join(benchmarkCache(), `${name}-${await digestOf(source)}`);
  if (await exists(finished)) return finished;
  process.stderr.write(`building ${name}, once: this takes up to some minutes\n`);
  const bench = { recipe: `${finished}.recipe-${process.pid}`, product: `${finished}.product-${process.pid}` };
  try {
    await cp(source, bench.recipe, { recursive: true });
    await mkdir(bench.product, { recursive: true });
    await build(bench, async (program, args, env = {}) => await runStep(bench.recipe, program, args, env));
    await rename(bench.product, finished);
  } finally {
    await Promise.all([bench.recipe, bench.product].map((folder) => rm(folder, { recursive: true, force: true })));
  }
  return finished;
}

/** The benchmark's own folder in the user's cache. */
export function benchmarkCache(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kurator', 'benchmarks');
}

async function digestOf(folder: string): Promise<string> {
  const files = await Array.fromAsync(glob('**/*.*', { cwd: folder }));
  const digest = createHash('sha256');
  for (const file of files.sort()) {
    const content = await readFile(join(folder, file)).catch(() => undefined);
    if (content) digest.update(`${file}\0${content.length}\0`).update(content);
  }
  return digest.digest('hex').slice(0, 12);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

async function runStep(cwd: string, program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const options = { cwd, env: { ...process.env, ...env }, timeout: BUILD_TIMEOUT, maxBuffer: OUTPUT_LIMIT };
  const running = execute(program, [...args], options);
  const { pid } = running.child;
  // A compiler takes every core it can get; whatever else runs here comes first.
  if (pid) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const { stdout } = await running.catch((error: NodeJS.ErrnoException & { stderr?: string; stdout?: string }) => {
    throw new Error(`${program} ${args[0] ?? ''}: ${reasonOf(error, program)}`, { cause: error });
  });
  return stdout;
}

/** What went wrong is, in a compiler's output, the first line that speaks of an error, or else the last one. */
function reasonOf(error: NodeJS.ErrnoException & { stderr?: string; stdout?: string }, program: string): string {
  if (error.code === 'ENOENT') return `${program} is not installed`;
  const lines = `${error.stdout ?? ''}\n${error.stderr ?? ''}`.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? error.message;
}
