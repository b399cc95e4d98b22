/** Makes a cache entry out of an official release: fetched, compared with its published sum, unpacked. */
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { TestenvError } from '../error.ts';
import { mapNoSpace } from '../internal/disk-space.ts';
import type { CacheContext, EntryRecipe } from './cache.ts';
import { type DownloadOptions, fetchFile, fetchText, proxyDispatcher } from './download.ts';
import type { Platform } from './platform.ts';
import { expectVersion } from './probe.ts';
import { findChecksum, type Release } from './release-layout.ts';
import { unzip } from './zip.ts';

/** The cache entry that holds a released program. */
export function releaseEntry(
  release: Release,
  { os, arch }: Platform,
  context: CacheContext,
  env: NodeJS.ProcessEnv,
): EntryRecipe {
  const { program, version } = release;
  const title = `${program} ${version}`;
  return {
    name: `${program}-${version}-${os}-${arch}-release`,
    title,
    check: (folder) => expectVersion(program, join(folder, program), version, context.signal),
    async make(folder) {
      try {
        await fetchRelease(release, title, folder, context, env);
      } catch (error) {
        throw mapNoSpace(error, `the download of ${title}`);
      }
    },
  };
}

async function fetchRelease(
  release: Release,
  title: string,
  folder: string,
  { reporter, signal }: CacheContext,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const task = `Downloading ${title}`;
  const target = join(folder, release.program);
  const archive = `${target}.download`;
  const dispatcher = proxyDispatcher(env);
  const options: DownloadOptions = {
    dispatcher,
    signal,
    onProgress: (received, total) => reporter.progress(task, total && received / total, megabytes(received, total)),
  };
  try {
    const sum = await publishedSum(release, options);
    reporter.info(`Downloading ${title} from ${release.url}`);
    await fetchFile(release.url, sum, archive, options);
  } finally {
    reporter.progress(task, 1);
    await dispatcher.destroy();
  }
  const members = new Map(Object.entries(release.also ?? {}).map(([program, path]) => [path, join(folder, program)]));
  members.set(release.member, target);
  await unpack[release.form](archive, members);
  await rm(archive, { force: true });
  for (const path of members.values()) await chmod(path, 0o755);
}

async function publishedSum(release: Release, options: DownloadOptions): Promise<string> {
  const { onProgress: _, ...quietly } = options;
  const text = await fetchText(release.checksumUrl, quietly);
  const sum = findChecksum(text, new URL(release.url).pathname.split('/').at(-1) ?? '');
  if (sum) return sum;
  throw new TestenvError('KUR_TESTENV_CHECKSUM', `${release.checksumUrl} has no SHA-256 sum of ${release.url}.`, {
    remedy: 'What answers at that address is no release server: check the proxy or mirror in use.',
  });
}

/** Where each member of an archive is to go. */
type Members = ReadonlyMap<string, string>;
type Unpack = (archive: string, members: Members) => Promise<void>;

const unpack: Readonly<Record<Release['form'], Unpack>> = {
  async plain(file, members) {
    for (const target of members.values()) await rename(file, target);
  },
  tgz: untar,
  async zip(archive, members) {
    const written = await unzip(archive, dirname(archive), (path) => members.get(path)?.split('/').at(-1));
    if (written < members.size) throw missingMember(archive, [...members.keys()]);
  },
};

async function untar(archive: string, members: Members): Promise<void> {
  await mkdir(dirname(archive), { recursive: true });
  const tar = extract();
  const unpacked = pipeline(createReadStream(archive), createGunzip(), tar);
  const missing = new Set(members.keys());
  // Whatever breaks the stream ends this loop with the same error that `unpacked` rejects with.
  const read = async () => {
    for await (const entry of tar) {
      const member = entry.header.name.replace(/^\.\//, '');
      const target = members.get(member);
      if (target !== undefined && missing.delete(member)) await pipeline(entry, createWriteStream(target));
      entry.resume();
    }
  };
  await Promise.all([unpacked, read()]);
  if (missing.size > 0) throw missingMember(archive, [...missing]);
}

function missingMember(archive: string, members: readonly string[]): TestenvError {
  return new TestenvError('KUR_TESTENV_BAD_ARCHIVE', `${archive} does not hold ${members.join(', ')}.`);
}

function megabytes(received: number, total: number | undefined): string {
  const of = total === undefined ? '' : ` of ${Math.round(total / 1e6)}`;
  return `${Math.round(received / 1e6)}${of} MB`;
}
