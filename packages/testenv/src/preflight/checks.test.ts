import { describe, expect, it } from 'vitest';
import { type CheckResult, isAble, purposes } from './check.ts';
import { installCommand, judge, whyNoNodes } from './checks.ts';
import type { Facts } from './facts.ts';
import { kernelFeatures, namespaceKinds } from './kernel-features.ts';
import { tools } from './tools.ts';

const allWorks = (ids: readonly string[]) => new Map(ids.map((id) => [id, undefined as string | undefined]));
const folder = (path: string) => ({ path, writable: true, freeBytes: 50e9 });

/** A machine that lacks nothing. */
const goodMachine: Facts = {
  platform: 'linux',
  arch: 'x64',
  isRoot: true,
  missingCapabilities: [],
  env: {},
  cpus: 4,
  freeMemory: 8e9,
  state: folder('/home/me/.local/state/kurator'),
  cache: folder('/home/me/.cache/kurator'),
  tools: {
    programs: Object.fromEntries(tools.map(({ program }) => [program, `/usr/bin/${program}`])),
    cniFolder: '/usr/lib/cni',
    missingPlugins: [],
  },
  kernel: {
    namespaces: allWorks(namespaceKinds),
    features: allWorks(kernelFeatures.map(({ id }) => id)),
    cgroups: { version: 2, controllers: ['cpu', 'cpuset', 'memory', 'pids'], unwritable: [] },
  },
  hasApt: true,
  cachedVersion: '1.36.3',
  builders: { go: '/usr/bin/go' },
};

function resultsOf(change: Partial<Facts>): CheckResult[] {
  return judge({ ...goodMachine, ...change });
}

function trouble(change: Partial<Facts>): Pick<CheckResult, 'id' | 'state' | 'remedy'>[] {
  return resultsOf(change)
    .filter(({ state }) => state !== 'ok')
    .map(({ id, state, remedy }) => ({ id, state, ...(remedy ? { remedy } : {}) }));
}

function without(program: string): Partial<Facts> {
  const { [program]: _gone, ...programs } = goodMachine.tools.programs;
  return { tools: { ...goodMachine.tools, programs } };
}

function kernelWith(change: Partial<NonNullable<Facts['kernel']>>): Partial<Facts> {
  return { kernel: { ...(goodMachine.kernel as NonNullable<Facts['kernel']>), ...change } };
}

it('a containerd that is too old is named with its version', () => {
  const { tools: found = goodMachine.tools } = without('containerd');
  const [result] = resultsOf({ tools: { ...found, tooOld: { containerd: '1.4.13' } } }).filter(
    ({ state }) => state !== 'ok',
  );
  expect(result).toMatchObject({ id: 'program-containerd', detail: expect.stringContaining('1.4.13 is too old') });
});

describe('a machine that lacks nothing', () => {
  it('is able to do everything, without a warning', () => {
    const results = judge(goodMachine);
    expect(results.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(purposes.every((purpose) => isAble(purpose, results))).toBe(true);
  });

  it('has an id of its own for every check', () => {
    const ids = judge(goodMachine).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('an ordinary user', () => {
  const { kernel: _unknown, ...rest } = goodMachine;
  const results = judge({ ...rest, isRoot: false });

  it('can have a control plane, but no nodes', () => {
    expect(isAble('control plane', results)).toBe(true);
    expect(isAble('nodes', results)).toBe(false);
    expect(isAble('faults', results)).toBe(false);
  });

  it('is told so once, without guesses about what only root could have tried', () => {
    expect(results.filter(({ state }) => state === 'missing').map(({ id }) => id)).toEqual(['nodes-possible']);
    expect(results.some(({ id }) => id.startsWith('kernel-'))).toBe(false);
  });
});

describe('a Mac', () => {
  const { kernel: _unknown, freeMemory: _unsaid, ...rest } = goodMachine;
  const none = { programs: {}, missingPlugins: ['ptp'] };
  const results = judge({ ...rest, platform: 'darwin', arch: 'arm64', isRoot: false, tools: none });

  it('can have a control plane, and hears nothing about Linux programs', () => {
    expect(isAble('control plane', results)).toBe(true);
    expect(results.some(({ id }) => id.startsWith('program-'))).toBe(false);
  });
});

describe('what is missing', () => {
  it('is named together with the command that brings it', () => {
    expect(trouble(without('iptables'))).toEqual([
      { id: 'program-iptables', state: 'missing', remedy: 'apt-get install --no-install-recommends iptables' },
    ]);
  });

  it('is only a warning where it can be obtained', () => {
    expect(trouble(without('runc'))).toMatchObject([{ id: 'program-runc', state: 'warning' }]);
  });

  it('is only a warning where its purpose goes on without it', () => {
    expect(trouble(without('docker-registry'))).toMatchObject([{ id: 'program-docker-registry', state: 'warning' }]);
  });

  it('is named among the CNI plugins', () => {
    const { cniFolder: _gone, ...found } = goodMachine.tools;
    const results = resultsOf({ tools: { ...found, missingPlugins: ['portmap'] } });
    expect(results.find(({ id }) => id === 'cni-plugins')).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/^portmap not installed/),
    });
  });

  it.each(kernelFeatures.filter(({ optional }) => !optional).map(({ id }) => id))(
    'is named in the kernel: %s',
    (id) => {
      const features = allWorks(kernelFeatures.map((feature) => feature.id)).set(id, 'Operation not supported');
      const [result, ...others] = resultsOf(kernelWith({ features })).filter(({ state }) => state !== 'ok');
      expect(others).toEqual([]);
      expect(result).toMatchObject({ id: `kernel-${id}`, state: 'missing' });
      expect(result?.detail).toContain('Operation not supported');
      expect(result?.remedy).toContain('modprobe');
    },
  );

  it('is a warning for a kernel feature that only some faults use', () => {
    const features = allWorks(kernelFeatures.map(({ id }) => id)).set('netem', 'unknown qdisc');
    expect(trouble(kernelWith({ features }))).toMatchObject([{ id: 'kernel-netem', state: 'warning' }]);
  });

  it('is named among the namespaces', () => {
    const namespaces = allWorks(namespaceKinds).set('pid', 'Operation not permitted');
    expect(trouble(kernelWith({ namespaces }))).toMatchObject([{ id: 'namespace-pid', state: 'missing' }]);
  });

  it.each([
    [{ controllers: [], unwritable: [] }, 'none are mounted'],
    [{ version: 1 as const, controllers: ['cpu', 'memory'], unwritable: [] }, 'version 1 without cpuacct, cpuset'],
    [{ version: 2 as const, controllers: ['cpu', 'cpuset'], unwritable: [] }, 'version 2 without memory'],
    [
      { version: 2 as const, controllers: ['cpu', 'cpuset', 'memory'], unwritable: ['/sys/fs/cgroup'] },
      'no group can be made in /sys/fs/cgroup',
    ],
  ])('is named among the control groups: %j', (cgroups, detail) => {
    const result = resultsOf(kernelWith({ cgroups })).find(({ id }) => id === 'cgroups');
    expect(result).toMatchObject({ state: 'missing', detail });
  });
});

describe('warnings', () => {
  it('name the proxy that would catch what is meant for a cluster', () => {
    const results = resultsOf({ env: { HTTPS_PROXY: 'http://proxy:3128' } });
    const proxy = results.find(({ id }) => id === 'proxy');
    expect(proxy).toMatchObject({ state: 'warning', detail: expect.stringContaining('HTTPS_PROXY') });
    expect(proxy?.remedy).toContain('10.128.0.0/9');
  });

  it('ask for more room on the disk where Kubernetes may have to be built', () => {
    const cache = { ...goodMachine.cache, freeBytes: 2e9 };
    const { cachedVersion: _gone, ...rest } = goodMachine;
    expect(trouble({ cache })).toEqual([]);
    const ids = judge({ ...rest, cache }).flatMap(({ id, state }) => (state === 'warning' ? [id] : []));
    expect(ids).toEqual(['kubernetes', 'cache']);
  });

  it('say when there is nothing to build with', () => {
    const { cachedVersion: _gone, ...rest } = goodMachine;
    const kubernetes = judge({ ...rest, builders: {} }).find(({ id }) => id === 'kubernetes');
    expect(kubernetes).toMatchObject({ state: 'warning', remedy: 'install Go, or Python 3 with pip' });
  });

  it('come with little memory', () => {
    expect(trouble({ freeMemory: 0.5e9 })).toMatchObject([{ id: 'memory', state: 'warning' }]);
  });
});

it('refuses a folder that cannot be written', () => {
  const state = { ...goodMachine.state, writable: false };
  expect(trouble({ state })).toMatchObject([
    { id: 'state', state: 'missing', remedy: expect.stringContaining('XDG_STATE_HOME') },
  ]);
});

describe('whyNoNodes', () => {
  it.each([
    [{ platform: 'darwin' }, 'nodes need Linux, and this is darwin'],
    [{ arch: 'riscv64' }, 'nodes need an x64 or arm64 processor, and this is riscv64'],
    [{ isRoot: false }, 'nodes need root, and this is an ordinary user'],
    [{ missingCapabilities: ['CAP_SYS_ADMIN'] }, 'nodes need CAP_SYS_ADMIN, which root lacks here'],
  ])('says in one sentence what is wrong with %j', (change, message) => {
    expect(whyNoNodes({ ...goodMachine, ...change })?.message).toBe(message);
  });

  it('says nothing where nodes can run', () => {
    expect(whyNoNodes(goodMachine)).toBeUndefined();
  });
});

it('names Debian packages for those who have no apt', () => {
  expect(installCommand(['runc'], false)).toBe(
    "install what Debian calls runc with your distribution's package manager",
  );
});
