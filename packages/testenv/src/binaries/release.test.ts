import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tarGz, zip } from '../../test/binaries/archives.ts';
import { fakeProgram } from '../../test/binaries/fake-programs.ts';
import { recordingReporter } from '../../test/binaries/recording-reporter.ts';
import {
  corrupted,
  type ReleaseServer,
  type Serve,
  serveWithSum,
  sha256,
  startReleaseServer,
  status,
  whole,
} from '../../test/binaries/release-server.ts';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { obtainEntry } from './cache.ts';
import type { Platform } from './platform.ts';
import { probeVersion } from './probe.ts';
import type { Program } from './program.ts';
import { releaseEntry } from './release.ts';
import { type Release, releaseOf } from './release-layout.ts';

const linux: Platform = { os: 'linux', arch: 'amd64' };

/** Gets a program from a server that stands for all three release sites. */
async function obtain(server: ReleaseServer, cache: string, program: Program, platform = linux) {
  const env = { KURATOR_KUBERNETES_URL: server.url, KURATOR_ETCD_URL: server.url, KURATOR_COREDNS_URL: server.url };
  const reporter = recordingReporter();
  const context = { folder: cache, reporter };
  const release = releaseOf(program, '1.36.3', platform, env) as Release;
  const folder = await obtainEntry(context, releaseEntry(release, platform, context, env));
  return { path: join(folder, program), folder, reporter };
}

const apiserver = fakeProgram('kube-apiserver', '1.36.3');
const apiserverPath = '/release/v1.36.3/bin/linux/amd64/kube-apiserver';

describe('a released program', () => {
  it('is fetched as it is, and can be run', async () => {
    await using server = await startReleaseServer();
    await using cache = await temporaryFolder();
    serveWithSum(server, apiserverPath, apiserver);
    const { path, folder, reporter } = await obtain(server, cache.path, 'kube-apiserver');
    expect(await probeVersion('kube-apiserver', path)).toBe('1.36.3');
    expect(await readdir(folder)).toEqual(['kube-apiserver']);
    expect(reporter.fractions.at(-1)).toBe(1);
  });

  it('is fetched once', async () => {
    await using server = await startReleaseServer();
    await using cache = await temporaryFolder();
    serveWithSum(server, apiserverPath, apiserver);
    await obtain(server, cache.path, 'kube-apiserver');
    await obtain(server, cache.path, 'kube-apiserver');
    expect(server.requests).toEqual([`GET ${apiserverPath}.sha256`, `GET ${apiserverPath}`]);
  });

  it('is taken out of a tar archive', async () => {
    await using server = await startReleaseServer();
    await using cache = await temporaryFolder();
    const archive = await tarGz([
      { name: 'etcd-v3.6.8-linux-amd64/README.md', content: 'read me' },
      { name: 'etcd-v3.6.8-linux-amd64/etcd', content: fakeProgram('etcd', '3.6.8') },
    ]);
    server.serve('/v3.6.8/etcd-v3.6.8-linux-amd64.tar.gz', whole(archive));
    server.serve(
      '/v3.6.8/SHA256SUMS',
      whole(`${sha256('x')}  other\n${sha256(archive)}  etcd-v3.6.8-linux-amd64.tar.gz\n`),
    );
    const { path, folder } = await obtain(server, cache.path, 'etcd');
    expect(await probeVersion('etcd', path)).toBe('3.6.8');
    expect(await readdir(folder)).toEqual(['etcd']);
  });

  it('is taken out of a ZIP archive', async () => {
    await using server = await startReleaseServer();
    await using cache = await temporaryFolder();
    const archive = zip([{ name: 'etcd-v3.6.8-darwin-arm64/etcd', content: fakeProgram('etcd', '3.6.8') }]);
    server.serve('/v3.6.8/etcd-v3.6.8-darwin-arm64.zip', whole(archive));
    server.serve('/v3.6.8/SHA256SUMS', whole(`${sha256(archive)}  etcd-v3.6.8-darwin-arm64.zip\n`));
    const { path } = await obtain(server, cache.path, 'etcd', { os: 'darwin', arch: 'arm64' });
    expect((await stat(path)).mode & 0o111).toBe(0o111);
  });

  it('is taken out of the archive at the top', async () => {
    await using server = await startReleaseServer();
    await using cache = await temporaryFolder();
    const archive = await tarGz([{ name: './coredns', content: fakeProgram('coredns', '1.15.0') }]);
    serveWithSum(server, '/v1.15.0/coredns_1.15.0_linux_amd64.tgz', archive);
    const { path } = await obtain(server, cache.path, 'coredns');
    expect(await probeVersion('coredns', path)).toBe('1.15.0');
  });
});

describe('nothing enters the cache', () => {
  const otherVersion = fakeProgram('kube-apiserver', '1.35.0');
  it.each([
    ['that is corrupted', apiserver, corrupted(apiserver), 'KUR_TESTENV_CHECKSUM'],
    ['that is not there', apiserver, status(404), 'KUR_TESTENV_UNKNOWN_VERSION'],
    ['that is another version than it should be', otherVersion, whole(otherVersion), 'KUR_TESTENV_BINARY_BROKEN'],
    ['that is a web page with the right sum', '<html>', whole('<html>'), 'KUR_TESTENV_BINARY_BROKEN'],
  ] as [string, string, Serve, string][])('%s', async (_name, body, how, code) => {
    await using server = await startReleaseServer();
    await using cache = await temporaryFolder();
    serveWithSum(server, apiserverPath, body, how);
    await expect(obtain(server, cache.path, 'kube-apiserver')).rejects.toMatchObject({ code });
    expect(await readdir(cache.path)).toEqual(['locks']);
  });

  it('that has no published sum', async () => {
    await using server = await startReleaseServer();
    await using cache = await temporaryFolder();
    serveWithSum(server, apiserverPath, apiserver);
    server.serve(`${apiserverPath}.sha256`, whole('<html>Sign in</html>'));
    await expect(obtain(server, cache.path, 'kube-apiserver')).rejects.toMatchObject({ code: 'KUR_TESTENV_CHECKSUM' });
    expect(server.requests).toEqual([`GET ${apiserverPath}.sha256`]);
  });

  it.each([
    ['an archive without the program', () => tarGz([{ name: 'README', content: '' }]), 'KUR_TESTENV_BAD_ARCHIVE'],
    ['what is no archive', async () => Buffer.from('<html>'), 'Z_DATA_ERROR'],
  ])('from %s', async (_name, make, code) => {
    await using server = await startReleaseServer();
    await using cache = await temporaryFolder();
    serveWithSum(server, '/v1.15.0/coredns_1.15.0_linux_amd64.tgz', await make());
    await expect(obtain(server, cache.path, 'coredns')).rejects.toMatchObject({ code });
    expect(await readdir(cache.path)).toEqual(['locks']);
  });
});
