/** The table of checks: pure judgements of facts, in the order in which a person would look. */
import { cniPlugins } from '../binaries/program.ts';
import { missingControllers } from './cgroup-facts.ts';
import { type CheckResult, type Finding, lacking, ok, type Purpose } from './check.ts';
import type { Facts, FolderFacts, HostFacts } from './facts.ts';
import { kernelFeatures, namespaceKinds } from './kernel-features.ts';
import { catchingProxy, clusterRange } from './proxy.ts';
import { cniPackage, tools } from './tools.ts';

interface Check {
  readonly id: string;
  readonly title: string;
  readonly neededFor: Purpose;
  /** Undefined where it has no meaning: nothing is said about Linux's namespaces on a Mac. */
  judge(facts: Facts): Finding | undefined;
}

const GIGABYTE = 1e9;
/** What a control plane and a node hold, by measurement, with a little air. */
const MEMORY_WANTED = 1.5 * GIGABYTE;
const STATE_WANTED = 2 * GIGABYTE;
/** Go's caches and the result, by measurement. */
const BUILD_WANTED = 8 * GIGABYTE;
const CACHE_WANTED = 0.5 * GIGABYTE;

const machineChecks: readonly Check[] = [
  {
    id: 'system',
    title: 'operating system and processor',
    neededFor: 'control plane',
    judge({ platform, arch, cpus }) {
      const found = `${platform} on ${arch}, ${cpus} CPUs`;
      const known = ['linux', 'darwin'].includes(platform) && ['x64', 'arm64'].includes(arch);
      return known
        ? ok(found)
        : lacking('missing', `${found}: there are no Kubernetes programs for it`, 'use Linux or macOS on x64 or arm64');
    },
  },
  {
    id: 'kubernetes',
    title: 'Kubernetes programs',
    neededFor: 'control plane',
    judge({ cachedVersion, builders }) {
      if (cachedVersion) return ok(`${cachedVersion} is in the cache`);
      const canBuild = builders.go ?? builders.pip;
      const detail =
        'not in the cache: the first cluster downloads them, or builds them if there is no release to reach';
      return canBuild
        ? lacking('warning', `${detail} (about 10 minutes)`, 'kurator cluster up --control-plane-only')
        : lacking('warning', `${detail}, for which there is neither Go nor pip`, 'install Go, or Python 3 with pip');
    },
  },
  folderCheck(
    'state',
    'state folder',
    ({ state }) => state,
    'XDG_STATE_HOME',
    () => STATE_WANTED,
  ),
  folderCheck(
    'cache',
    'cache folder',
    ({ cache }) => cache,
    'XDG_CACHE_HOME',
    ({ cachedVersion }) => (cachedVersion ? CACHE_WANTED : BUILD_WANTED),
  ),
  {
    id: 'memory',
    title: 'memory',
    neededFor: 'control plane',
    judge({ freeMemory }) {
      if (freeMemory === undefined) return undefined;
      const found = `${gigabytes(freeMemory)} available`;
      return freeMemory >= MEMORY_WANTED
        ? ok(found)
        : lacking(
            'warning',
            `${found}: a control plane takes about 0.7 GB, and each node 0.3 GB`,
            'end programs that are not needed',
          );
    },
  },
  {
    id: 'nodes-possible',
    title: 'Linux, root and its rights',
    neededFor: 'nodes',
    judge(facts) {
      const problem = whyNoNodes(facts);
      if (problem) return lacking('missing', problem.message, problem.remedy);
      return unproven(facts) ? lacking('warning', `there, but ${unproven(facts)}`, 'say what you see') : ok('there');
    },
  },
  {
    id: 'cgroups',
    title: 'control groups',
    neededFor: 'nodes',
    judge({ kernel }) {
      if (!kernel) return undefined;
      const { version, unwritable } = kernel.cgroups;
      if (!version) return lacking('missing', 'none are mounted', 'mount -t cgroup2 none /sys/fs/cgroup');
      const missing = missingControllers(kernel.cgroups);
      if (missing.length > 0) {
        return lacking(
          'missing',
          `version ${version} without ${missing.join(', ')}`,
          'boot with cgroup_enable=memory, or mount the missing controllers',
        );
      }
      if (unwritable.length > 0) {
        return lacking(
          'missing',
          `no group can be made in ${unwritable.join(', ')}`,
          'mount them writable; in a container, run it privileged',
        );
      }
      return ok(`version ${version}`);
    },
  },
  {
    id: 'proxy',
    title: 'proxy settings',
    neededFor: 'nodes',
    judge({ env }) {
      const variable = catchingProxy(env);
      if (!variable) return ok('nothing meant for a cluster goes to a proxy');
      return lacking(
        'warning',
        `${variable} sends what is meant for a cluster to a proxy: kubectl would not reach it`,
        `export NO_PROXY="$NO_PROXY,${clusterRange},127.0.0.1" no_proxy="$no_proxy,${clusterRange},127.0.0.1"`,
      );
    },
  },
];

function folderCheck(
  id: string,
  title: string,
  folderOf: (facts: Facts) => FolderFacts,
  variable: string,
  wanted: (facts: Facts) => number,
): Check {
  return {
    id,
    title,
    neededFor: 'control plane',
    judge(facts) {
      const { path, writable, freeBytes } = folderOf(facts);
      if (!writable) return lacking('missing', `${path} can't be written`, `set ${variable} to a folder that can`);
      const found = `${path}, ${gigabytes(freeBytes)} free`;
      if (freeBytes >= wanted(facts)) return ok(found);
      return lacking(
        'warning',
        `${found}, ${gigabytes(wanted(facts))} may be needed`,
        `free space there, or set ${variable} to a folder elsewhere`,
      );
    },
  };
}

const namespaceChecks = namespaceKinds.map(
  (kind): Check => ({
    id: `namespace-${kind}`,
    title: `${kind} namespaces`,
    neededFor: 'nodes',
    judge({ kernel }) {
      if (!kernel) return undefined;
      const problem = kernel.namespaces.get(kind);
      if (problem === undefined) return ok('can be made');
      return lacking(
        'missing',
        `the kernel makes none: ${problem}`,
        'use a kernel with namespaces; in a container, run it privileged',
      );
    },
  }),
);

const kernelChecks = kernelFeatures.map(
  ({ id, title, neededFor, optional, remedy }): Check => ({
    id: `kernel-${id}`,
    title,
    neededFor,
    judge({ kernel }) {
      if (!kernel?.features.has(id)) return undefined;
      const problem = kernel.features.get(id);
      if (problem === undefined) return ok('works');
      return optional
        ? lacking('warning', `not in this kernel (${problem}); needed for ${optional}`, remedy)
        : lacking('missing', `not in this kernel: ${problem}`, remedy);
    },
  }),
);

/** Debian's packages are there in seconds, and so the first choice where there are any. */
const obtaining = 'the first cluster with nodes downloads it, or builds it where there is no apt-get';
const obtained = `not installed: ${obtaining}`;

const toolChecks = tools.map(
  (tool): Check => ({
    id: `program-${tool.program}`,
    title: tool.program,
    neededFor: tool.neededFor,
    judge(facts) {
      if (facts.platform !== 'linux') return undefined;
      const path = facts.tools.programs[tool.program];
      if (path) return ok(path);
      const remedy = installCommand([tool.package], facts.hasApt);
      const old = facts.tools.tooOld?.[tool.program];
      if (tool.obtainable) return lacking('warning', old ? `${old} is too old: ${obtaining}` : obtained, remedy);
      return tool.optional
        ? lacking('warning', `not installed; needed for ${tool.optional}`, remedy)
        : lacking('missing', 'not installed', remedy);
    },
  }),
);

const cniCheck: Check = {
  id: 'cni-plugins',
  title: `CNI plugins ${cniPlugins.join(', ')}`,
  neededFor: 'nodes',
  judge({ platform, tools: { cniFolder, missingPlugins }, hasApt }) {
    if (platform !== 'linux') return undefined;
    if (cniFolder) return ok(cniFolder);
    return lacking('warning', `${missingPlugins.join(', ')} ${obtained}`, installCommand([cniPackage], hasApt));
  },
};

const checks: readonly Check[] = [...machineChecks, ...namespaceChecks, ...kernelChecks, ...toolChecks, cniCheck];

/** Judges the facts by every check that has a meaning for them. */
export function judge(facts: Facts): CheckResult[] {
  return checks.flatMap(({ id, title, neededFor, judge: judgeOne }) => {
    const finding = judgeOne(facts);
    return finding ? [{ id, title, neededFor, ...finding }] : [];
  });
}

/** Why there can be no nodes on a machine, whatever is installed on it; undefined where there can. */
export function whyNoNodes(
  facts: HostFacts,
): { code: 'PLATFORM' | 'NEEDS_ROOT'; message: string; remedy: string } | undefined {
  const { platform, arch, isRoot, missingCapabilities } = facts;
  const instead = 'make a control plane alone (--control-plane-only)';
  if (platform !== 'linux') {
    return {
      code: 'PLATFORM',
      message: `nodes need Linux, and this is ${platform}`,
      remedy: `${instead}, or use a Linux machine`,
    };
  }
  if (arch !== 'x64' && arch !== 'arm64') {
    return {
      code: 'PLATFORM',
      message: `nodes need an x64 or arm64 processor, and this is ${arch}`,
      remedy: `${instead}, or use such a machine`,
    };
  }
  if (!isRoot)
    return {
      code: 'NEEDS_ROOT',
      message: 'nodes need root, and this is an ordinary user',
      remedy: `${instead}, or run this as root (sudo)`,
    };
  if (missingCapabilities.length > 0) {
    const names = missingCapabilities.join(' and ');
    return {
      code: 'NEEDS_ROOT',
      message: `nodes need ${names}, which root lacks here`,
      remedy: `run the container that this is in privileged, or ${instead}`,
    };
  }
  return undefined;
}

/** What nobody has tried yet, in words; undefined where the tests run. */
export function unproven({ arch }: Pick<HostFacts, 'arch'>): string | undefined {
  return arch === 'arm64' ? 'nodes were never tried on a real arm64 machine' : undefined;
}

/** The command that installs packages, for a person to run. */
export function installCommand(packages: readonly string[], hasApt: boolean): string {
  const list = packages.join(' ');
  return hasApt
    ? `apt-get install --no-install-recommends ${list}`
    : `install what Debian calls ${list} with your distribution's package manager`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / GIGABYTE).toFixed(1)} GB`;
}
