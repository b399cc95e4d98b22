/** Finds etcd in a version that is asked for, with its tools: for those who run it, or upgrade from one version to another. */
import { join } from 'node:path';
import { messageOf, TestenvError } from '../error.ts';
import { cacheFolder } from '../folders.ts';
import { type Reporter, silent } from '../reporter.ts';
import { buildEntry } from './build.ts';
import { etcdRecipe } from './build-recipe.ts';
import { type CacheContext, findEntry, obtainEntry } from './cache.ts';
import { platformOf } from './platform.ts';
import { type EtcdProgram, etcdPrograms } from './program.ts';
import { releaseEntry } from './release.ts';
import { etcdReleaseOf } from './release-layout.ts';
import { type SourceName, sourceOrder } from './source.ts';

/** Which etcd, and how it is brought. */
export interface EtcdRequest {
  /** As etcd is released: `3.6.16`. */
  version: string;
  reporter?: Reporter;
  signal?: AbortSignal;
  /** Where settings are read from; `process.env` unless told. */
  env?: NodeJS.ProcessEnv;
}

/** The paths of etcd's programs: from our cache, the official release, or a build from Go modules. */
export async function resolveEtcd(request: EtcdRequest): Promise<Readonly<Record<EtcdProgram, string>>> {
  const { version, reporter = silent, signal, env = process.env } = request;
  if (!/^3\.\d+\.\d+$/.test(version)) {
    throw new TestenvError('KUR_TESTENV_UNKNOWN_VERSION', `"${version}" is no version of etcd.`, {
      remedy: 'Ask for an exact one, such as 3.6.16.',
    });
  }
  const context: CacheContext = { folder: cacheFolder('binaries'), reporter, ...(signal && { signal }) };
  const folder = await folderOf(version, context, env);
  return Object.fromEntries(etcdPrograms.map((name) => [name, join(folder, name)])) as Record<EtcdProgram, string>;
}

async function folderOf(version: string, context: CacheContext, env: NodeJS.ProcessEnv): Promise<string> {
  const platform = platformOf();
  const release = releaseEntry(etcdReleaseOf(version, platform, env), platform, context, env);
  // Beside the one that a cluster runs on, which comes without tools.
  const released = { ...release, name: release.name.replace('etcd-', 'etcd-tools-') };
  const built = buildEntry(etcdRecipe(version, platform), platform, context, env);
  const sources: Readonly<Record<SourceName, () => Promise<string | undefined>>> = {
    cache: async () => (await findEntry(context, released)) ?? (await findEntry(context, built)),
    download: async () => await obtainEntry(context, released),
    build: async () => await obtainEntry(context, built),
  };
  const failures: { source: SourceName; error: unknown }[] = [];
  for (const source of sourceOrder(env)) {
    try {
      const folder = await sources[source]();
      if (folder) return folder;
    } catch (error) {
      context.signal?.throwIfAborted();
      failures.push({ source, error });
      context.reporter.info(`No etcd ${version} from the ${source}: ${messageOf(error)}`);
    }
  }
  const reasons = failures.map(({ source, error }) => `\n  ${source}: ${messageOf(error)}`).join('');
  throw new TestenvError('KUR_TESTENV_NO_BINARIES', `No etcd ${version} could be had.${reasons}`, {
    remedy: 'Make one of these reachable (HTTPS_PROXY, GOPROXY, or KURATOR_ETCD_URL for a mirror).',
    cause: failures.at(-1)?.error,
  });
}
