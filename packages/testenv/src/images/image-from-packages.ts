import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, TestenvError } from '../error.ts';
import { run } from '../internal/run.ts';
import type { Reporter } from '../reporter.ts';
import { type BuildOptions, buildImage, requireRoomFor } from './build.ts';
import type { ImageArchive } from './image-archive.ts';
import type { ImageConfig } from './image-config.ts';
import { type AptSources, aptNetwork, aptSources, type Candidate, findPackages } from './internal/apt.ts';
import { cachedLayer, type LayerRecipe } from './internal/layer.ts';
import { IMAGE_TIME } from './internal/oci.ts';

/** How Debian packages become an image. */
export type PackagesOptions = Omit<BuildOptions, 'from'>;

/** Left out of the image: documentation and translations, a third of a small system. */
const EXCLUDED = [
  '/usr/share/doc/*',
  '/usr/share/man/*',
  '/usr/share/info/*',
  '/usr/share/locale/*',
  '/usr/share/lintian/*',
];
/** Generous: a small system with a database server is about 400 MB. */
const ROOM = 1_000_000_000;
const LONGEST = 20 * 60_000;
/**
 * As root it mounts /proc and the like into the new system. In namespaces of its own, which end with this process,
 * neither mounts nor processes of it can stay behind.
 */
const AS_ROOT = [
  ...['setpriv', '--pdeathsig', 'KILL', '--'],
  ...['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--'],
  ...['mmdebstrap', '--mode=root'],
];

/**
 * An image with a small Debian (only what is marked essential) and the named packages, installed properly: users, links
 * and configuration are as on a machine. Made by mmdebstrap from the archives of this machine, which takes about half a
 * minute; after that it comes from the cache until one of the named packages has a new version. Needs root, or a user
 * that may make user namespaces.
 */
export async function imageFromPackages(
  packages: readonly string[],
  config: ImageConfig,
  options: PackagesOptions = {},
): Promise<ImageArchive> {
  return await buildImage(config, options, async ({ reporter }) => {
    const [candidates, sources] = await Promise.all([findPackages([...new Set(packages)].sort()), aptSources()]);
    const recipe = recipeOf(candidates, sources, reporter, options.signal);
    return [await cachedLayer(recipe, reporter, options.signal)];
  });
}

function recipeOf(
  candidates: readonly Candidate[],
  sources: AptSources,
  reporter: Reporter,
  signal: AbortSignal | undefined,
): LayerRecipe {
  const names = candidates.map(({ name }) => name);
  const title = `a Debian system with ${names.join(', ') || 'nothing more'}`;
  const key = createHash('sha256')
    .update(JSON.stringify([candidates, sources, EXCLUDED, IMAGE_TIME]))
    .digest('hex')
    .slice(0, 16);
  return {
    key: `packages-${sources.suite}-${key}`,
    title,
    make: async (file, folder) => {
      await requireRoomFor(`An image of ${title}`, ROOM);
      reporter.info(`Installing ${title}, into an image: this takes about half a minute, once.`);
      reporter.progress(title, undefined, 'mmdebstrap');
      await debootstrap(names, sources, file, folder, signal);
      reporter.progress(title, 1);
    },
  };
}

async function debootstrap(
  names: readonly string[],
  sources: AptSources,
  file: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { env, checkValidUntil } = await aptNetwork();
  const list = join(folder, 'sources.list');
  await writeFile(list, `${sources.lines.join('\n')}\n`);
  const args = [
    '--variant=essential',
    '--format=tar',
    ...(names.length > 0 ? [`--include=${names.join(',')}`] : []),
    ...EXCLUDED.map((path) => `--dpkgopt=path-exclude=${path}`),
    ...(checkValidUntil ? [] : ['--aptopt=Acquire::Check-Valid-Until "false"']),
    '--skip=output/dev',
    sources.suite,
    file,
    list,
  ];
  const [command, ...prefix] = process.getuid?.() === 0 ? AS_ROOT : ['mmdebstrap'];
  const epoch = String(IMAGE_TIME.getTime() / 1000);
  try {
    await run(command as string, [...prefix, ...args], {
      cwd: folder,
      env: { ...process.env, ...env, TMPDIR: folder, SOURCE_DATE_EPOCH: epoch, LC_ALL: 'C.UTF-8' },
      timeout: LONGEST,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    throw signal?.aborted ? error : installFailed(names, error);
  }
}

function installFailed(names: readonly string[], cause: unknown): TestenvError {
  const message = messageOf(cause);
  if (/failed to execute mmdebstrap|^`mmdebstrap [^`]*` is not installed/.test(message)) {
    return new TestenvError(
      'KUR_TESTENV_PACKAGES',
      'Images from Debian packages are made by mmdebstrap, which this machine does not have.',
      {
        remedy: 'Run `apt-get install mmdebstrap`.',
        cause,
      },
    );
  }
  return new TestenvError(
    'KUR_TESTENV_PACKAGES',
    `The packages ${names.join(', ')} could not be installed into an image. ${message}`,
    {
      remedy: 'Check that the package archives can be reached and that the packages can be installed together.',
      cause,
    },
  );
}
