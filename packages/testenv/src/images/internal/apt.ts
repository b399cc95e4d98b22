/** What this machine's apt knows: which packages there are, where they come from, and how to get one. Changes nothing. */
import { TestenvError } from '../../error.ts';
import { run } from '../../internal/run.ts';

/** A package as apt would install it now. */
export interface Candidate {
  name: string;
  version: string;
}

/** The distribution's own archives, without third-party ones, whose keys another root would not have. */
const DISTRIBUTIONS = ['Debian', 'Ubuntu', 'Raspbian', 'Devuan'];
const FIELDS = '$(ORIGIN)\t$(SITE)\t$(RELEASE)\t$(COMPONENT)\t$(CODENAME)';

/** The archives that this machine's package lists were fetched from. */
export interface AptSources {
  /** Code name of the release, such as `bookworm`. */
  suite: string;
  /** Lines of a sources.list. */
  lines: string[];
}

export async function aptSources(): Promise<AptSources> {
  const { stdout } = await apt('apt-get', ['indextargets', '--format', FIELDS, 'Created-By: Packages']);
  const targets = stdout.split('\n').map((line) => line.split('\t'));
  const own = targets.filter(([origin]) => DISTRIBUTIONS.includes(origin ?? ''));
  const suite = own[0]?.[4];
  if (!suite) {
    throw new TestenvError('KUR_TESTENV_PACKAGES', 'This machine has no package lists of a Debian-like distribution.', {
      remedy: 'Run `apt-get update` and try again.',
    });
  }
  return {
    suite: suite.replace(/-.*/, ''),
    lines: [...new Set(own.map(([, site, release, component]) => `deb ${site} ${release} ${component}`))],
  };
}

/** Finds each package, and names all that do not exist in one error. */
export async function findPackages(names: readonly string[]): Promise<Candidate[]> {
  const wrong = names.find((name) => !/^[a-z0-9][a-z0-9+.-]+$/.test(name));
  if (wrong !== undefined) throw unknownPackages([wrong]);
  const { stdout } = await apt('apt-cache', ['policy', ...names]);
  const versions = new Map(
    [...stdout.matchAll(/^(\S+):\n {2}Installed: .*\n {2}Candidate: (\S+)$/gm)].map(([, name, version]) => [
      name,
      version,
    ]),
  );
  const missing = names.filter((name) => (versions.get(name) ?? '(none)') === '(none)');
  if (missing.length > 0) throw unknownPackages(missing);
  return names.map((name) => ({ name, version: versions.get(name) as string }));
}

/** The network settings that apt has on this machine, for a process that does not read apt's own files. */
export async function aptNetwork(): Promise<{ env: NodeJS.ProcessEnv; checkValidUntil: boolean }> {
  const { stdout } = await apt('apt-config', ['dump', '--format', '%F %v%n', 'Acquire']);
  const settings = new Map(
    stdout.split('\n').map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  );
  const [http, https] = [settings.get('Acquire::http::Proxy'), settings.get('Acquire::https::Proxy')];
  return {
    env: { ...(http ? { http_proxy: http } : {}), ...(https ? { https_proxy: https } : {}) },
    checkValidUntil: !/^(?:false|no|0)$/i.test(settings.get('Acquire::Check-Valid-Until') ?? ''),
  };
}

/** Downloads one package without installing it and unpacks its files into `folder`. */
export async function unpackPackage(name: string, folder: string, signal?: AbortSignal): Promise<void> {
  const [candidate] = await findPackages([name]);
  const options = { cwd: folder, timeout: 300_000, ...(signal ? { signal } : {}) };
  await apt('apt-get', ['download', `${name}=${candidate?.version}`], options);
  await run('sh', ['-c', 'dpkg-deb -x ./*.deb . && rm ./*.deb'], options);
}

async function apt(...[command, args, options]: Parameters<typeof run>): ReturnType<typeof run> {
  try {
    return await run(command, args, { ...options, env: { ...process.env, ...options?.env, LC_ALL: 'C' } });
  } catch (error) {
    const isMissing =
      error instanceof TestenvError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    throw isMissing ? notDebian(command, error) : error;
  }
}

function unknownPackages(names: readonly string[]): TestenvError {
  const what =
    names.length === 1 ? `There is no package called ${names[0]}` : `There are no packages called ${names.join(', ')}`;
  return new TestenvError('KUR_TESTENV_UNKNOWN_PACKAGE', `${what} in this machine's package lists.`, {
    remedy: 'Search with `apt-cache search WORD`, and run `apt-get update` if the lists are old.',
  });
}

function notDebian(command: string, cause: unknown): TestenvError {
  return new TestenvError(
    'KUR_TESTENV_PACKAGES',
    `This machine has no ${command}, which images from Debian packages need.`,
    {
      remedy: 'Use a Debian-like machine for this, or build the image from a folder.',
      cause,
    },
  );
}
