/** Builds programs from Go modules: slower than a download by minutes, but it needs nothing but a module proxy. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestenvError } from '../error.ts';
import { mapNoSpace, requireSpace } from '../internal/disk-space.ts';
import { compileProgress, modulesProgress, parseStale } from './build-progress.ts';
import { type BuildRecipe, goLine, goModFor, lifted, programsOf } from './build-recipe.ts';
import type { CacheContext, EntryRecipe } from './cache.ts';
import { runGo } from './go-command.ts';
import { type GoToolchain, obtainGo } from './go-toolchain.ts';
import type { Platform } from './platform.ts';
import { expectVersion } from './probe.ts';
import { compareVersions, knownVersions } from './version.ts';

/** Measured with cold caches: Go's build cache grows by 3.3 GB, its module cache by 1.7 GB, the binary has 0.15 GB. */
const COLD = { buildCache: 3.7e9, moduleCache: 2e9, entry: 0.3e9 };
const BYTES_A_PACKAGE = 1.3e6;

const STALE_PACKAGES = '{{if .Stale}}{{.ImportPath}} {{len .GoFiles}}{{end}}';

/** All that one build needs to know. */
interface Build {
  readonly recipe: BuildRecipe;
  readonly context: CacheContext;
  readonly env: NodeJS.ProcessEnv;
  /** Where it is put together; removed afterwards. */
  readonly workshop: string;
}

/** The cache entry that a build makes. */
export function buildEntry(
  recipe: BuildRecipe,
  platform: Platform,
  context: CacheContext,
  env: NodeJS.ProcessEnv,
): EntryRecipe {
  return {
    name: recipe.entry,
    title: recipe.title,
    check: (folder) => expectVersion(recipe.witness, join(folder, recipe.witness), recipe.version, context.signal),
    async make(folder) {
      const workshop = join(folder, 'workshop');
      const build = { recipe, context, workshop, env: goEnvironment(env, platform, workshop, recipe) };
      try {
        await compile(build, recipe.commands ? `${folder}/` : join(folder, recipe.output));
      } catch (error) {
        throw mapNoSpace(nameNeeds(error, recipe), `the build of ${recipe.title}`);
      } finally {
        context.reporter.progress(taskOf(recipe), 1);
      }
      await rm(workshop, { recursive: true });
      const aliases = recipe.commands ? [] : programsOf(recipe).filter((program) => program !== recipe.output);
      for (const program of aliases) await symlink(recipe.output, join(folder, program));
      for (const [built, program] of Object.entries(recipe.renamed ?? {}))
        await rename(join(folder, built), join(folder, program));
    },
  };
}

async function compile(build: Build, output: string): Promise<void> {
  const { recipe, context, workshop } = build;
  const task = taskOf(recipe);
  context.reporter.info(`Building ${recipe.title} from Go modules: minutes the first time, then it is cached.`);
  await mkdir(join(workshop, 'tmp'), { recursive: true });
  const { go, goMod } = await prepare(build);
  if (recipe.main !== undefined) await writeFile(join(workshop, 'main.go'), recipe.main);
  if (recipe.guest) await writeFile(join(workshop, `${recipe.guest.programs[0]}.go`), recipe.guest.source);
  await chooseModules(build, go, goMod);

  const packages = recipe.commands ? 'tool' : '.';
  const flags = ['-trimpath', '-ldflags', recipe.ldflags, ...(recipe.tags ? ['-tags', recipe.tags] : [])];
  const stale = parseStale(await callGo(build, go, ['list', '-deps', ...flags, '-f', STALE_PACKAGES, packages]));
  context.reporter.verbose(`${stale.length} packages have to be compiled for ${recipe.title}.`);
  await requireSpace(`The build of ${recipe.title}`, [
    { folder: await goFolder(build, go, 'GOCACHE'), bytes: stale.length * BYTES_A_PACKAGE },
    { folder: workshop, bytes: COLD.entry },
  ]);
  const progress = compileProgress(task, stale, context.reporter);
  await callGo(build, go, ['build', '-v', ...flags, '-o', output, packages], '-buildvcs=false', (line) =>
    progress.line(line),
  );
}

/** Each round may bring in modules that the one before left out, and with them new requests for too new ones. */
const ROUNDS = 6;

async function chooseModules(build: Build, go: GoToolchain, goMod: string): Promise<void> {
  const { recipe, context, workshop } = build;
  const progress = modulesProgress(taskOf(recipe), context.reporter);
  let excluded: readonly string[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    await writeFile(join(workshop, 'go.mod'), goModFor(recipe, goMod, excluded));
    await callGo(build, go, ['mod', 'tidy'], '-mod=mod', progress);
    if (!recipe.guest) return;
    const more = lifted(recipe, goMod, await callGo(build, go, ['mod', 'graph'], '-mod=mod'));
    if (more.length === 0) return;
    excluded = [...excluded, ...more];
  }
  throw new TestenvError('KUR_TESTENV_GO', `Go finds no versions that suit both ${recipe.module} and its guest.`);
}

function taskOf(recipe: BuildRecipe): string {
  return `Building ${recipe.title}`;
}

/** Finds a Go that the module accepts, and the module's own go.mod. */
async function prepare(build: Build): Promise<{ go: GoToolchain; goMod: string }> {
  const { recipe, context, env } = build;
  const candidate = await obtainGo(recipe.go, context, env);
  const modules = await goFolder(build, candidate, 'GOMODCACHE');
  const version = `v${recipe.version}`;
  if (!existsSync(join(modules, 'cache', 'download', recipe.module, '@v', `${version}.zip`))) {
    await requireSpace(`The build of ${recipe.title} with Go's caches`, [
      { folder: modules, bytes: COLD.moduleCache },
      { folder: await goFolder(build, candidate, 'GOCACHE'), bytes: COLD.buildCache },
      { folder: build.workshop, bytes: COLD.entry },
    ]);
  }
  const goMod = await fetchGoMod(build, candidate, `${recipe.module}@${version}`);
  const needed = goLine(goMod);
  const go = compareVersions(candidate.version, needed) >= 0 ? candidate : await obtainGo(needed, context, env);
  return { go, goMod };
}

async function fetchGoMod(build: Build, go: GoToolchain, module: string): Promise<string> {
  try {
    const answer = JSON.parse(await callGo(build, go, ['mod', 'download', '-json', module], '-mod=mod'));
    return await readFile(answer.GoMod, 'utf8');
  } catch (error) {
    throw nameModuleTrouble(error, module);
  }
}

/** What a machine lacks is said by a compiler in words of its own. */
function nameNeeds(error: unknown, { title, needs }: BuildRecipe): unknown {
  if (!needs || !(error instanceof TestenvError) || !/^`go (list|build) /.test(error.message)) return error;
  return new TestenvError(error.code, error.message, { remedy: `${title} needs ${needs}`, cause: error });
}

const networkTrouble = /dial tcp|no such host|could not resolve|connection refused|timeout|TLS|certificate/i;
const unknownVersion = /unknown revision|invalid version|404 Not Found|410 Gone|version is not available/i;

/** A proxy that answers "there is no such version" is no trouble of the network: trying again would not help. */
function nameModuleTrouble(error: unknown, module: string): unknown {
  if (!(error instanceof TestenvError) || error.code !== 'KUR_TESTENV_GO') return error;
  const isUnknown = unknownVersion.test(error.message) && !networkTrouble.test(error.message);
  return isUnknown
    ? new TestenvError('KUR_TESTENV_UNKNOWN_VERSION', `The Go module proxy has no ${module}.`, {
        remedy: knownVersions,
        cause: error,
      })
    : new TestenvError('KUR_TESTENV_GO', `Go could not fetch ${module}: ${reasonIn(error.message)}`, { cause: error });
}

/** With `-json` Go puts its reason into a JSON object. */
function reasonIn(message: string): string {
  const quoted = /"Error": ("(?:[^"\\]|\\.)*")/.exec(message)?.[1];
  return quoted === undefined ? message : JSON.parse(quoted);
}

async function goFolder(build: Build, go: GoToolchain, variable: 'GOCACHE' | 'GOMODCACHE'): Promise<string> {
  return (await callGo(build, go, ['env', variable])).trim();
}

async function callGo(
  { context, env, workshop }: Build,
  go: GoToolchain,
  args: readonly string[],
  flags = '-buildvcs=false',
  onLine: (line: string) => void = () => {},
): Promise<string> {
  return await runGo(go, args, { cwd: workshop, env: { ...env, GOFLAGS: flags }, signal: context.signal, onLine });
}

/** The user's caches and proxy settings stay; whatever could make the result depend on the user's other work does not. */
function goEnvironment(
  env: NodeJS.ProcessEnv,
  { os, arch }: Platform,
  workshop: string,
  { cgo }: Pick<BuildRecipe, 'cgo'>,
): NodeJS.ProcessEnv {
  return {
    ...env,
    GO111MODULE: 'on',
    GOWORK: 'off',
    GOTOOLCHAIN: 'local',
    GOEXPERIMENT: '',
    CGO_ENABLED: cgo ? '1' : '0',
    GOOS: os,
    GOARCH: arch,
    GOTMPDIR: join(workshop, 'tmp'),
  };
}
