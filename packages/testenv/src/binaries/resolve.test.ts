import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startChild } from '../../test/binaries/child.ts';
import { type FakeGo, fakeGoIn, fakeProgram, fakeProgramsIn } from '../../test/binaries/fake-programs.ts';
import { recordingReporter } from '../../test/binaries/recording-reporter.ts';
import { corrupted, serveWithSum, startReleaseServer } from '../../test/binaries/release-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { resolveBinaries } from './resolve.ts';

let folder: TemporaryFolder;
let go: FakeGo;

beforeEach(async () => {
  folder = await temporaryFolder();
  vi.stubEnv('XDG_CACHE_HOME', folder.path);
  go = await fakeGoIn(join(folder.path, 'go'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await folder[Symbol.asyncDispose]();
});

const cache = () => join(folder.path, 'kurator', 'binaries');
const builds = async () => (await readFile(go.builds, 'utf8').catch(() => '')).split('\n').length - 1;

describe('a folder that is named', () => {
  it('is the only place that is looked at', async () => {
    await fakeProgramsIn(join(folder.path, 'mine'), { etcd: '3.5.9', 'kube-apiserver': '1.30.1' });
    const binaries = await resolveBinaries({
      programs: ['etcd', 'kube-apiserver'],
      folder: join(folder.path, 'mine'),
      env: {},
    });
    expect(binaries.path('etcd')).toBe(join(folder.path, 'mine', 'etcd'));
    expect([binaries.version, binaries.source]).toEqual(['1.30.1', `the folder ${join(folder.path, 'mine')}`]);
  });

  it.each([
    ['lacks a program', { etcd: '3.5.9' }, undefined, 'KUR_TESTENV_NO_BINARIES', 'does not hold kube-apiserver'],
    [
      'holds another version',
      { etcd: '3.5.9', 'kube-apiserver': '1.30.1' },
      '1.36',
      'KUR_TESTENV_VERSION_MISMATCH',
      'holds Kubernetes 1.30.1, but version 1.36 was asked for',
    ],
    ['is not there', undefined, '1.36', 'KUR_TESTENV_NO_FOLDER', 'is not a folder'],
  ])('is refused where it %s', async (_name, programs, version, code, message) => {
    const mine = join(folder.path, 'mine');
    if (programs) await fakeProgramsIn(mine, programs);
    const asked = version === undefined ? {} : { version };
    await expect(
      resolveBinaries({ programs: ['etcd', 'kube-apiserver'], folder: mine, ...asked, env: go.env }),
    ).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('serves a minor version with whichever patch it holds', async () => {
    await fakeProgramsIn(join(folder.path, 'mine'), { 'kube-apiserver': '1.30.1' });
    const binaries = await resolveBinaries({
      programs: ['kube-apiserver'],
      folder: join(folder.path, 'mine'),
      version: '1.30',
    });
    expect(binaries.version).toBe('1.30.1');
  });
});

describe('KUBEBUILDER_ASSETS', () => {
  it('is looked at first, and what it lacks comes from elsewhere in the same version', async () => {
    await fakeProgramsIn(join(folder.path, 'assets'), { etcd: '3.6.5', 'kube-apiserver': '1.35.2' });
    const reporter = recordingReporter();
    const binaries = await resolveBinaries({
      programs: ['kube-apiserver', 'kube-scheduler'],
      env: { ...go.env, KUBEBUILDER_ASSETS: join(folder.path, 'assets') },
      reporter,
    });
    expect(binaries.version).toBe('1.35.2');
    expect(binaries.path('kube-apiserver')).toBe(join(folder.path, 'assets', 'kube-apiserver'));
    expect(binaries.path('kube-scheduler')).toContain('kubernetes-1.35.2');
    expect(reporter.lines).toContain('KUBEBUILDER_ASSETS has no kube-scheduler: looking further.');
  });

  it('is passed over where another version is asked for, which is said', async () => {
    await fakeProgramsIn(join(folder.path, 'assets'), { 'kube-apiserver': '1.35.2' });
    const reporter = recordingReporter();
    const binaries = await resolveBinaries({
      programs: ['kube-apiserver'],
      version: '1.36.3',
      env: { ...go.env, KUBEBUILDER_ASSETS: join(folder.path, 'assets') },
      reporter,
    });
    expect(binaries.path('kube-apiserver')).toContain('kubernetes-1.36.3');
    expect(reporter.lines).toContain(
      'KUBEBUILDER_ASSETS holds Kubernetes 1.35.2 and is passed over: 1.36.3 was asked for.',
    );
  });

  it('is refused where a program in it does not run', async () => {
    await writeFile(join(folder.path, 'etcd'), '<html>', { mode: 0o755 });
    await expect(
      resolveBinaries({ programs: ['etcd'], env: { ...go.env, KUBEBUILDER_ASSETS: folder.path } }),
    ).rejects.toMatchObject({ code: 'KUR_TESTENV_BINARY_BROKEN' });
  });
});

describe('the sources', () => {
  const path = '/release/v1.36.3/bin/linux/amd64/kubelet';

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'are tried in order: what the release site can not give is built',
    async () => {
      await using site = await startReleaseServer();
      serveWithSum(site, path, fakeProgram('kubelet', '1.36.3'));
      const proxy = fakeProgram('kube-proxy', '1.36.3');
      const proxyPath = path.replace('kubelet', 'kube-proxy');
      serveWithSum(site, proxyPath, proxy, corrupted(proxy));
      const env = { ...go.env, KURATOR_BINARY_SOURCES: '', KURATOR_KUBERNETES_URL: site.url };
      const binaries = await resolveBinaries({ programs: ['kubelet', 'kube-proxy'], env });
      expect(binaries.path('kubelet')).toContain('-release');
      expect(binaries.path('kube-proxy')).toMatch(/kubernetes-1\.36\.3-.*\/kube-proxy$/);
      expect(binaries.source).toBe('the official release and a build from Go modules');
    },
  );

  it('are asked for nothing but the programs that are wanted', async () => {
    await using site = await startReleaseServer();
    const env = { ...go.env, KURATOR_BINARY_SOURCES: 'download', KURATOR_KUBERNETES_URL: site.url };
    await expect(resolveBinaries({ programs: ['kubelet'], env })).rejects.toThrow();
    expect(site.requests.every((request) => request.includes('/kubelet'))).toBe(true);
  });

  it('can be restricted', async () => {
    await expect(
      resolveBinaries({ programs: ['etcd'], env: { ...go.env, KURATOR_BINARY_SOURCES: 'cache' } }),
    ).rejects.toMatchObject({ code: 'KUR_TESTENV_NO_BINARIES', message: expect.stringContaining('cache has none') });
    expect(await builds()).toBe(0);
  });

  it('are explained where the setting names one that does not exist', async () => {
    await expect(
      resolveBinaries({ programs: ['etcd'], env: { ...go.env, KURATOR_BINARY_SOURCES: 'cache,internet' } }),
    ).rejects.toMatchObject({ code: 'KUR_TESTENV_BAD_SETTING', message: expect.stringContaining('"internet"') });
  });

  it('are all named, with their reasons, where none can be reached', async () => {
    const offline = await fakeGoIn(join(folder.path, 'offline'), {
      download: 'echo "dial tcp: lookup proxy.example: no such host" >&2; exit 1',
    });
    const gone = await startReleaseServer();
    await gone[Symbol.asyncDispose]();
    const env = {
      ...offline.env,
      KURATOR_BINARY_SOURCES: '',
      KURATOR_KUBERNETES_URL: gone.url,
      KURATOR_ETCD_URL: `${gone.url}/etcd`,
    };
    const reporter = recordingReporter();
    await expect(
      resolveBinaries({ programs: ['etcd', 'kube-apiserver', 'kubelet'], env, reporter }),
    ).rejects.toMatchObject({
      code: 'KUR_TESTENV_NO_BINARIES',
      message: expect.stringMatching(/download \(etcd\): .*ECONNREFUSED(.|\n)*build \(.*\): .*no such host/),
      remedy: expect.stringContaining('KUBEBUILDER_ASSETS'),
    });
    // One failure to reach a site is enough: kubelet would come from the same one as kube-apiserver.
    expect(reporter.lines.filter((line) => line.includes('kubelet.sha256'))).toEqual([]);
  });

  it('give an unknown version a name', async () => {
    await using site = await startReleaseServer();
    const env = { ...go.env, KURATOR_BINARY_SOURCES: 'cache,download', KURATOR_KUBERNETES_URL: site.url };
    await expect(resolveBinaries({ programs: ['kubelet'], version: '1.36.99', env })).rejects.toMatchObject({
      code: 'KUR_TESTENV_UNKNOWN_VERSION',
      remedy: expect.stringContaining('1.36 (1.36.3)'),
    });
  });
});

it('keeps several versions side by side', async () => {
  const versions = ['1.36', '1.35', '1.34.1'];
  const all = [];
  for (const version of versions) all.push(await resolveBinaries({ programs: ['kubelet'], version, env: go.env }));
  expect(all.map(({ version }) => version)).toEqual(['1.36.3', '1.35.4', '1.34.1']);
  expect(new Set(all.map((binaries) => binaries.path('kubelet'))).size).toBe(3);
});

describe('CoreDNS', () => {
  const buildsOf = async (request: Parameters<typeof resolveBinaries>[0]) => {
    const before = await builds();
    const binaries = await resolveBinaries({ ...request, env: go.env });
    return { coredns: binaries.path('coredns'), builds: (await builds()) - before };
  };

  it('comes with Kubernetes, and then serves other versions too', async () => {
    const first = await buildsOf({ programs: ['kubelet', 'coredns'] });
    expect(first).toEqual({ coredns: expect.stringContaining('kubernetes-1.36.3'), builds: 1 });
    expect(await buildsOf({ programs: ['kubelet', 'coredns'], version: '1.35' })).toEqual({ ...first, builds: 1 });
  });

  it('is built by itself where nothing else is missing', async () => {
    const alone = await buildsOf({ programs: ['coredns'] });
    expect(alone).toEqual({ coredns: expect.stringContaining('coredns-1.15.0'), builds: 1 });
  });
});

it('refuses to tell the path of a program that was not asked for', async () => {
  const binaries = await resolveBinaries({ programs: ['kubelet'], env: go.env });
  expect(() => binaries.path('coredns')).toThrow('coredns is not among the programs that were asked for');
});

describe('several processes', { timeout: 60_000 }, () => {
  /** A process that resolves the kubelet, prints what it hears on the way, and at last the path. */
  function resolver() {
    return startChild(
      `import { resolveBinaries } from ${JSON.stringify(import.meta.resolve('./resolve.ts'))};
       const reporter = { info: console.log, verbose: console.log, progress: () => {} };
       const binaries = await resolveBinaries({ programs: ['kubelet'], reporter });
       console.log('RESOLVED', binaries.path('kubelet'));`,
      { ...go.env, XDG_CACHE_HOME: folder.path },
    );
  }

  const resolved = (output: string) => /^RESOLVED (.*)$/m.exec(output)?.[1];
  const entries = async () => (await readdir(cache()).catch(() => [])).filter((name) => name !== 'locks');

  it('build once when they want the same at once, and the one that waits says for whom', async () => {
    await writeFile(go.hold, '');
    const one = resolver();
    await expect.poll(builds, { timeout: 20_000 }).toBe(1);
    const other = resolver();
    await expect.poll(other.output, { timeout: 20_000 }).toContain(`Waiting for process ${one.pid}`);
    await rm(go.hold);
    await Promise.all([one.ended, other.ended]);
    expect(resolved(one.output())).toContain('kubernetes-1.36.3');
    expect(resolved(other.output())).toBe(resolved(one.output()));
    expect(await builds()).toBe(1);
  });

  it('get over one that is killed in the middle of its build', async () => {
    await writeFile(go.hold, '');
    const killed = resolver();
    await expect.poll(builds, { timeout: 20_000 }).toBe(1);
    const heir = resolver();
    await expect.poll(heir.output, { timeout: 20_000 }).toContain(`Waiting for process ${killed.pid}`);
    killed.kill('SIGKILL');
    await expect.poll(builds, { timeout: 20_000 }).toBe(2);
    expect(await entries()).toEqual([expect.stringContaining(`.tmp-${heir.pid}-`)]);
    await rm(go.hold);
    await heir.ended;
    expect(resolved(heir.output())).toContain('kubernetes-1.36.3');
    expect(await entries()).toEqual([expect.stringMatching(/^kubernetes-1\.36\.3-[^.]*$/)]);
  });
});
