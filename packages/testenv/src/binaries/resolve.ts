/** Finds the programs of a cluster: in a folder that was named, in the cache, in the official releases, or by a build. */
import { join } from 'node:path';
import { messageOf, TestenvError } from '../error.ts';
import { cacheFolder } from '../folders.ts';
import { type Reporter, silent } from '../reporter.ts';
import type { CacheContext } from './cache.ts';
import { answersTo, lookIntoFolder, type NamedFolder } from './named-folder.ts';
import { type Failure, noBinaries } from './no-binaries.ts';
import { platformOf } from './platform.ts';
import type { Binaries, Program } from './program.ts';
import { type Source, sourcesFor } from './source.ts';
import { defaultVersion, parseVersion } from './version.ts';

export type { Binaries, Program } from './program.ts';
export { defaultVersion, parseVersion } from './version.ts';

/** Which programs are wanted, and where they may come from. */
export interface BinaryRequest {
  /** `1.36`, `1.36.3` or `v1.36.3`; unless told, the version in the named folder, else {@link defaultVersion}. */
  version?: string;
  /** What is needed; nothing else is looked for or fetched. */
  programs: readonly Program[];
  /** A folder that holds all of them, and then the only place that is looked at. */
  folder?: string;
  reporter?: Reporter;
  signal?: AbortSignal;
  /** Where settings are read from; `process.env` unless told. */
  env?: NodeJS.ProcessEnv;
}

/** What has been found so far: a path and where it came from, by program. */
type Found = Map<Program, { path: string; source: string }>;

/**
 * Finds every program that is asked for. The `folder` option is the whole answer where it is given; otherwise
 * KUBEBUILDER_ASSETS, our cache, the official releases and a build from Go modules are tried in this order, each for
 * what is still missing, and `reporter.verbose` hears why.
 */
export async function resolveBinaries(request: BinaryRequest): Promise<Binaries> {
  const { env = process.env, reporter = silent } = request;
  const named = await namedFolder(request, env, reporter);
  const version = named?.version ?? parseVersion(request.version ?? defaultVersion);
  const found: Found = new Map();
  for (const [program, path] of named?.found ?? []) found.set(program, { path, source: `the folder ${named?.path}` });
  if (missing(request, found).length > 0) await drawFromSources(version, request, found, env, reporter);
  return {
    version,
    source: [...new Set([...found.values()].map(({ source }) => source))].join(' and '),
    path: (program) => {
      const path = found.get(program)?.path;
      if (path) return path;
      throw new TypeError(`${program} is not among the programs that were asked for: ${request.programs.join(', ')}`);
    },
  };
}

async function drawFromSources(
  version: string,
  request: BinaryRequest,
  found: Found,
  env: NodeJS.ProcessEnv,
  reporter: Reporter,
): Promise<void> {
  const context: CacheContext = { folder: cacheFolder('binaries'), reporter, signal: request.signal };
  const failures: Failure[] = [];
  for (const source of sourcesFor(version, platformOf(), context, env)) {
    failures.push(...(await drawFrom(source, request, found, reporter)));
    if (missing(request, found).length === 0) return;
  }
  throw noBinaries(missing(request, found), version, failures);
}

/** The named folder if there is one and it serves; a folder from the environment that does not fit is passed over. */
async function namedFolder(
  { folder, version, programs, signal }: BinaryRequest,
  env: NodeJS.ProcessEnv,
  reporter: Reporter,
): Promise<NamedFolder | undefined> {
  if (folder !== undefined) {
    const named = await lookIntoFolder(folder, 'the folder option', programs, signal);
    refuseUnfit(named, version);
    reporter.verbose(`All programs are in ${named.path}, which was named.`);
    return named;
  }
  const assets = env.KUBEBUILDER_ASSETS;
  if (!assets) return undefined;
  const named = await lookIntoFolder(assets, 'KUBEBUILDER_ASSETS', programs, signal);
  if (version !== undefined && named.version !== undefined && !answersTo(version, named.version)) {
    reporter.info(`KUBEBUILDER_ASSETS holds Kubernetes ${named.version} and is passed over: ${version} was asked for.`);
    return undefined;
  }
  if (named.found.size > 0) reporter.verbose(`In KUBEBUILDER_ASSETS: ${[...named.found.keys()].join(', ')}.`);
  if (named.missing.length > 0)
    reporter.verbose(`KUBEBUILDER_ASSETS has no ${named.missing.join(', ')}: looking further.`);
  return named;
}

function refuseUnfit(named: NamedFolder, asked: string | undefined): void {
  if (named.missing.length > 0) {
    throw new TestenvError('KUR_TESTENV_NO_BINARIES', `${named.path} does not hold ${named.missing.join(', ')}.`, {
      remedy: 'Put the missing programs there, or leave the folder option out so that they are fetched.',
    });
  }
  if (asked === undefined || named.version === undefined || answersTo(asked, named.version)) return;
  throw new TestenvError(
    'KUR_TESTENV_VERSION_MISMATCH',
    `${named.path} holds Kubernetes ${named.version}, but version ${asked} was asked for.`,
    { remedy: `Name another folder, or ask for version ${named.version}.` },
  );
}

/** Takes from a source what is still missing, and gives the reasons why it could not provide all of it. */
async function drawFrom(
  source: Source,
  request: BinaryRequest,
  found: Found,
  reporter: Reporter,
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  for (const offer of source.offers) {
    const wanted = missing(request, found).filter((program) => offer.programs.includes(program));
    const isWorthIt = source.name === 'cache' || !wanted.every((program) => offer.extras?.includes(program));
    if (
      !isWorthIt ||
      wanted.length === 0 ||
      failures.some(({ site, unreachable }) => unreachable && site === offer.site)
    )
      continue;
    try {
      const folder = await source.get(offer);
      if (!folder) continue;
      reporter.verbose(`From the ${source.name}: ${wanted.join(', ')} in ${folder}.`);
      for (const program of wanted) found.set(program, { path: join(folder, program), source: offer.origin });
    } catch (error) {
      request.signal?.throwIfAborted();
      failures.push(failure(source, offer.site, wanted, error));
      reporter.info(`No ${wanted.join(', ')} from the ${source.name}: ${failures.at(-1)?.reason}`);
    }
  }
  const left = missing(request, found);
  if (left.length > 0) reporter.verbose(`Not from the ${source.name}: ${left.join(', ')}.`);
  return failures;
}

function failure(source: Source, site: string, programs: readonly Program[], error: unknown): Failure {
  const known = error instanceof TestenvError ? error : undefined;
  return {
    source: source.name,
    site,
    programs,
    reason: messageOf(error),
    unreachable: known?.code === 'KUR_TESTENV_UNREACHABLE',
    error,
  };
}

function missing(request: BinaryRequest, found: Found): Program[] {
  return request.programs.filter((program) => !found.has(program));
}
