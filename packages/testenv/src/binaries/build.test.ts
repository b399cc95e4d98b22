import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FakeGoOptions, fakeGoIn } from '../../test/binaries/fake-programs.ts';
import { type RecordingReporter, recordingReporter } from '../../test/binaries/recording-reporter.ts';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { buildEntry } from './build.ts';
import { type BuildRecipe, kubernetesRecipe, runtimeRecipes } from './build-recipe.ts';
import { obtainEntry } from './cache.ts';
import { probeVersion } from './probe.ts';

const platform = { os: 'linux', arch: 'amd64' } as const;

interface Attempt extends FakeGoOptions {
  recipe?: BuildRecipe;
  reporter?: RecordingReporter;
  signal?: AbortSignal;
}

/** Builds Kubernetes 1.36.3, unless told otherwise, with a fake Go in a folder that also holds the cache. */
async function build(folder: string, attempt: Attempt = {}): Promise<string> {
  const { reporter = recordingReporter(), signal, recipe = kubernetesRecipe('1.36.3', platform), ...go } = attempt;
  const { env } = await fakeGoIn(join(folder, 'go'), go);
  const context = { folder: join(folder, 'cache'), reporter, signal };
  return await obtainEntry(context, buildEntry(recipe, platform, context, env));
}

async function leftovers(folder: string): Promise<string[]> {
  return (await readdir(join(folder, 'cache'))).filter((name) => name !== 'locks');
}

describe('a build', () => {
  it('gives one binary under the names of all programs', async () => {
    await using folder = await temporaryFolder();
    const entry = await build(folder.path);
    expect(await probeVersion('kubelet', join(entry, 'kubelet'))).toBe('1.36.3');
    expect((await readdir(entry)).sort()).toEqual([
      'coredns',
      'etcd',
      'kube-apiserver',
      'kube-controller-manager',
      'kube-proxy',
      'kube-scheduler',
      'kubectl',
      'kubelet',
      'kubernetes',
    ]);
  });

  it('tells how far it is, from nothing to the end', async () => {
    await using folder = await temporaryFolder();
    const reporter = recordingReporter();
    await build(folder.path, { reporter });
    expect(reporter.fractions).toEqual([...reporter.fractions].sort((a, b) => a - b));
    expect([reporter.fractions[0], reporter.fractions.at(-1)]).toEqual([0, 1]);
  });

  it('stops when it is told to and leaves nothing behind', async () => {
    await using folder = await temporaryFolder();
    const controller = new AbortController();
    const started = join(folder.path, 'started');
    const building = build(folder.path, {
      signal: controller.signal,
      build: `echo > "${started}"; while :; do sleep 0.05; done`,
    });
    const stopped = expect(building).rejects.toThrow('enough');
    await expect.poll(() => readFile(started, 'utf8').catch(() => undefined)).toBeDefined();
    controller.abort(new Error('enough'));
    await stopped;
    expect(await leftovers(folder.path)).toEqual([]);
  });

  it.each([
    [
      'the disk becomes full',
      { build: 'echo "link: write: no space left on device" >&2; exit 1' },
      { code: 'KUR_TESTENV_NO_SPACE', remedy: expect.stringContaining('GOCACHE') },
    ],
    [
      'the proxy does not know the version',
      { download: 'echo "k8s.io/kubernetes@v1.36.3: invalid version: unknown revision v1.36.3" >&2; exit 1' },
      { code: 'KUR_TESTENV_UNKNOWN_VERSION', remedy: expect.stringContaining('1.35') },
    ],
    [
      'the proxy can not be reached',
      { download: String.raw`echo '{"Error": "dial \"tcp\": no such host"}'; exit 1` },
      { code: 'KUR_TESTENV_GO', message: 'Go could not fetch k8s.io/kubernetes@v1.36.3: dial "tcp": no such host' },
    ],
    [
      'the compiler fails',
      { build: 'echo "main.go:1:1: syntax error" >&2; exit 1' },
      { code: 'KUR_TESTENV_GO', message: expect.stringContaining('main.go:1:1: syntax error') },
    ],
    [
      'what was built does not run',
      { build: 'while [ "$1" != -o ]; do shift; done; echo "exit 1" > "$2"; chmod +x "$2"' },
      { code: 'KUR_TESTENV_BINARY_BROKEN' },
    ],
  ])('says so and leaves nothing behind where %s', async (_name, go, error) => {
    await using folder = await temporaryFolder();
    await expect(build(folder.path, go)).rejects.toMatchObject(error);
    expect(await leftovers(folder.path)).toEqual([]);
  });

  it('says what runc needs of the machine, where the compiler fails', async () => {
    await using folder = await temporaryFolder();
    const recipe = runtimeRecipes(platform).find(({ output }) => output === 'runc') as BuildRecipe;
    const failing = 'echo "Package libseccomp was not found in the pkg-config search path." >&2; exit 1';
    await expect(build(folder.path, { recipe, build: failing })).rejects.toMatchObject({
      code: 'KUR_TESTENV_GO',
      message: expect.stringContaining('libseccomp was not found'),
      remedy: expect.stringContaining('libseccomp-dev'),
    });
  });

  it('is done again where the cached program no longer runs', async () => {
    await using folder = await temporaryFolder();
    const entry = await build(folder.path);
    await writeFile(join(entry, 'kubernetes'), '');
    expect(await probeVersion('etcd', join(await build(folder.path), 'etcd'))).toBe('1.36.3');
  });
});
