/** The programs that come from the machine, and the Debian package that brings each. */
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { cniPlugins, containerdPrograms } from '../binaries/program.ts';
import { run } from '../internal/run.ts';
import { which } from '../internal/which.ts';
import type { Purpose } from './check.ts';

/** A program of the machine. */
export interface Tool {
  readonly program: string;
  /** Debian's package that it comes in. */
  readonly package: string;
  readonly neededFor: Purpose;
  /** What is not there without it; undefined where its purpose can't do without it. */
  readonly optional?: string;
  /** Can be obtained as the programs of Kubernetes are, where the machine has none. */
  readonly obtainable?: true;
  /** Optional, but installed together with what nodes need: users expect what it is for to work. */
  readonly extra?: true;
}

export const tools: readonly Tool[] = [
  { program: 'setpriv', package: 'util-linux', neededFor: 'control plane' },
  { program: 'containerd', package: 'containerd', neededFor: 'nodes', obtainable: true },
  { program: 'ctr', package: 'containerd', neededFor: 'nodes', obtainable: true },
  { program: 'containerd-shim-runc-v2', package: 'containerd', neededFor: 'nodes', obtainable: true },
  { program: 'runc', package: 'runc', neededFor: 'nodes', obtainable: true },
  { program: 'iptables', package: 'iptables', neededFor: 'nodes' },
  { program: 'ip', package: 'iproute2', neededFor: 'nodes' },
  { program: 'nsenter', package: 'util-linux', neededFor: 'nodes' },
  { program: 'unshare', package: 'util-linux', neededFor: 'nodes' },
  { program: 'mount', package: 'mount', neededFor: 'nodes' },
  {
    program: 'mkfs.ext4',
    package: 'e2fsprogs',
    neededFor: 'nodes',
    optional: 'volumes with a size limit',
    extra: true,
  },
  {
    program: 'docker-registry',
    package: 'docker-registry',
    neededFor: 'images',
    optional: 'a registry on the network of a cluster',
    extra: true,
  },
  {
    program: 'busybox',
    package: 'busybox-static',
    neededFor: 'images',
    optional: 'the sample image without a download',
    extra: true,
  },
  { program: 'tc', package: 'iproute2', neededFor: 'faults', optional: 'delays and jitter for whole links' },
  {
    program: 'mmdebstrap',
    package: 'mmdebstrap',
    neededFor: 'images',
    optional: 'images from Debian packages',
    extra: true,
  },
];

export const cniPackage = 'containernetworking-plugins';

const CNI_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin'];

/** Which of the machine's programs are there. */
export interface ToolFacts {
  /** Absolute paths, by program. */
  readonly programs: Readonly<Record<string, string>>;
  /** The folder with all CNI plugins, if there is one. */
  readonly cniFolder?: string;
  /** Plugins that the folder with most of them lacks. */
  readonly missingPlugins: readonly string[];
  /** The versions of programs that are as good as missing, by program. */
  readonly tooOld?: Readonly<Record<string, string>>;
}

/** The first containerd that knows all that a node's configuration says: Debian 11 has 1.4. */
const LEAST_CONTAINERD = [1, 6] as const;
const VERSION_TIMEOUT = 10_000;

export async function findTools(): Promise<ToolFacts> {
  const programs: Record<string, string> = {};
  const lookFor = async ({ program }: Tool) => {
    const path = await which(program);
    if (path) programs[program] = path;
  };
  const [plugins] = await Promise.all([findCniPlugins(), ...tools.map(lookFor)]);
  const old = programs.containerd && (await oldVersion(programs.containerd));
  // What belongs together is of one version.
  if (old) for (const program of containerdPrograms) delete programs[program];
  return { programs, ...plugins, tooOld: old ? { containerd: old } : {} };
}

/** The version of a containerd that is too old. One whose version can't be read is taken as it is. */
async function oldVersion(containerd: string): Promise<string | undefined> {
  const { stdout } = await run(containerd, ['--version'], { timeout: VERSION_TIMEOUT }).catch(() => ({ stdout: '' }));
  const [, version, major, minor] = /\sv?((\d+)\.(\d+)[.\d]*)/.exec(stdout) ?? [];
  const [leastMajor, leastMinor] = LEAST_CONTAINERD;
  const isOld = Number(major) < leastMajor || (Number(major) === leastMajor && Number(minor) < leastMinor);
  return isOld ? version : undefined;
}

async function findCniPlugins(): Promise<Pick<ToolFacts, 'cniFolder' | 'missingPlugins'>> {
  let fewest: readonly string[] = cniPlugins;
  for (const folder of CNI_FOLDERS) {
    const there = await Promise.all(cniPlugins.map((plugin) => isExecutable(join(folder, plugin))));
    const missing = cniPlugins.filter((_, i) => !there[i]);
    if (missing.length === 0) return { cniFolder: folder, missingPlugins: [] };
    if (missing.length < fewest.length) fewest = missing;
  }
  return { missingPlugins: fewest };
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Packages that bring what is missing: what nodes can't do without, and what is good to have. */
export interface MissingPackages {
  readonly required: readonly string[];
  readonly extra: readonly string[];
}

export function missingPackages({ programs, cniFolder }: ToolFacts): MissingPackages {
  const missing = tools.filter(({ program }) => !programs[program]);
  const required = missing.filter(({ optional }) => !optional).map((tool) => tool.package);
  return {
    required: [...new Set([...required, ...(cniFolder ? [] : [cniPackage])])],
    extra: [...new Set(missing.filter(({ extra }) => extra).map((tool) => tool.package))],
  };
}

/** The names of what nodes can't do without and is missing. */
export function missingTools({ programs, cniFolder, missingPlugins, tooOld = {} }: ToolFacts): string[] {
  const missing = tools.filter(({ program, optional }) => !optional && !programs[program]);
  return [
    ...missing.map(({ program }) => (tooOld[program] ? `${program} ${LEAST_CONTAINERD.join('.')} or newer` : program)),
    ...(cniFolder ? [] : [`the CNI plugins ${missingPlugins.join(', ')}`]),
  ];
}
