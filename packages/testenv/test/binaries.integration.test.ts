/** The real programs: out of the cache where they are there, else from wherever this machine can get them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Binaries, defaultVersion, type Program, resolveBinaries } from '../src/binaries/resolve.ts';
import { run } from '../src/internal/run.ts';

const programs = ['etcd', 'kube-apiserver', 'kubectl', 'coredns'] as const satisfies readonly Program[];

/** A build with cold caches on a small machine; with a warm cache it takes less than a second. */
const COLD_BUILD = 45 * 60_000;

// The version is said, so that a KUBEBUILDER_ASSETS of another one is passed over.
const request = { programs, version: defaultVersion };

let binaries: Binaries;

beforeAll(async () => {
  binaries = await resolveBinaries(request);
}, COLD_BUILD);

describe('the programs of a cluster', () => {
  it.each([
    ['kube-apiserver', ['--version'], `Kubernetes v${defaultVersion}`],
    ['kubectl', ['version', '--client'], `Client Version: v${defaultVersion}`],
    ['etcd', ['--version'], 'etcd Version: 3.6.8'],
    ['coredns', ['-version'], 'CoreDNS-1.15.0'],
  ] as const)('include a %s that runs', async (program, args, words) => {
    const { stdout } = await run(binaries.path(program), args);
    expect(stdout).toContain(words);
  });

  it('are there at once when they are asked for again', async () => {
    const again = await resolveBinaries({ ...request, env: { ...process.env, KURATOR_BINARY_SOURCES: 'cache' } });
    expect(programs.map((program) => again.path(program))).toEqual(programs.map((program) => binaries.path(program)));
  });
});
