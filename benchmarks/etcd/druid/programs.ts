/**
 * etcd-druid and what its pods run, built from what their authors tagged: once, into the cache. A folder that holds the three programs
 * already is named by KURATOR_BENCH_DRUID.
 */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { benchmarkCache } from '../../subjects/workshop.ts';

const run = promisify(execFile);
const LONGEST = 30 * 60_000;
const FOLDER_VARIABLE = 'KURATOR_BENCH_DRUID';

interface Source {
  readonly repository: string;
  readonly tag: string;
  readonly package: string;
}

/** With etcd 3.5, which is what etcd-druid's gate UpgradeEtcdVersion is for: the versions are those that it names. */
const sources = {
  'etcd-druid': { repository: 'etcd-druid', tag: 'v0.37.0', package: './cmd' },
  etcdbrctl: { repository: 'etcd-backup-restore', tag: 'v0.43.0', package: '.' },
  'etcd-wrapper': { repository: 'etcd-wrapper', tag: 'v0.8.0', package: '.' },
} satisfies Record<string, Source>;

type Name = keyof typeof sources;

export interface DruidPrograms {
  /** Where a program is. */
  path(name: Name): string;
  /** Its definitions, as files of YAML. */
  readonly crds: readonly string[];
}

const CRDS = ['etcds', 'etcdcopybackupstasks', 'etcdopstasks'].map((kind) => `druid.gardener.cloud_${kind}.yaml`);

/** @throws With what to do, where they can't be had. */
export async function druidPrograms(): Promise<DruidPrograms> {
  const folder = process.env[FOLDER_VARIABLE] ?? (await built());
  for (const file of [...Object.keys(sources), ...CRDS]) {
    await access(join(folder, file)).catch((cause) => {
      throw new Error(`${folder} has no ${file}: ${FOLDER_VARIABLE} names a folder with all programs and definitions`, {
        cause,
      });
    });
  }
  return { path: (name) => join(folder, name), crds: CRDS.map((file) => join(folder, file)) };
}

async function built(): Promise<string> {
  const finished = join(benchmarkCache(), `etcd-druid-${sources['etcd-druid'].tag}`);
  if (await isThere(join(finished, 'etcd-druid'))) return finished;
  process.stderr.write('building etcd-druid and what its pods run, once: this takes some minutes\n');
  const product = `${finished}.product-${process.pid}`;
  const recipe = await mkdtemp(join(tmpdir(), 'kurator-druid-'));
  try {
    await mkdir(product, { recursive: true });
    for (const [name, source] of Object.entries(sources)) await build(name, source, recipe, product);
    const crds = join(recipe, 'etcd-druid', 'charts', 'crds');
    for (const file of CRDS) await run('cp', [join(crds, file), product]);
    await rename(product, finished);
    return finished;
  } finally {
    await Promise.all([product, recipe].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

/** In the repository itself: etcd-druid's module refers to folders beside it, and can't be built as a dependency. */
async function build(name: string, source: Source, recipe: string, product: string): Promise<void> {
  const { repository, tag } = source;
  const folder = join(recipe, repository);
  const url = `https://github.com/gardener/${repository}`;
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };
  try {
    await run('git', ['clone', '--quiet', '--depth', '1', '--branch', tag, url, folder], { timeout: LONGEST });
    const flags = ['-trimpath', '-ldflags', '-s -w', '-o', join(product, name)];
    await run('go', ['build', ...flags, source.package], { cwd: folder, env, timeout: LONGEST });
  } catch (cause) {
    const { stderr = '', message } = cause as Error & { stderr?: string };
    const why = (stderr || message).trim().split('\n').at(-1);
    throw new Error(`${repository} ${tag} can't be built: ${why}; it takes git, Go and ${url}, or ${FOLDER_VARIABLE}`, {
      cause,
    });
  }
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
