/** Everything that the checks judge, gathered from the machine once. Tests write their own. */
import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { resolveBinaries } from '../binaries/resolve.ts';
import { cacheFolder, stateFolder } from '../folders.ts';
import { which } from '../internal/which.ts';
import { type CgroupFacts, gatherCgroupFacts } from './cgroup-facts.ts';
import { type KernelFeature, type KernelTrials, kernelFeatures, tryKernel } from './kernel-features.ts';
import { findTools, type ToolFacts } from './tools.ts';

/** What is known without asking any other program. */
export interface HostFacts {
  /** As `process.platform`. */
  readonly platform: string;
  /** As `process.arch`. */
  readonly arch: string;
  readonly isRoot: boolean;
  /** Linux capabilities that nodes need and this process lacks. */
  readonly missingCapabilities: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface FolderFacts {
  readonly path: string;
  readonly writable: boolean;
  readonly freeBytes: number;
}

/** Facts that only a kernel with namespaces gives, and only to root. */
export interface KernelFacts extends KernelTrials {
  readonly cgroups: CgroupFacts;
}

export interface Facts extends HostFacts {
  readonly cpus: number;
  /** Bytes that could be used now; undefined where the system does not say. */
  readonly freeMemory?: number;
  readonly state: FolderFacts;
  readonly cache: FolderFacts;
  readonly tools: ToolFacts;
  /** Undefined where nothing could be tried: not Linux, or not root. */
  readonly kernel?: KernelFacts;
  readonly hasApt: boolean;
  /** Kubernetes in the cache, such as `1.36.3`; undefined where it would have to be fetched or built. */
  readonly cachedVersion?: string;
  /** What a build would be done with. */
  readonly builders: { readonly go?: string; readonly pip?: string };
}

/** Namespaces and mounts need the one, links and packet rules the other; bits as in capabilities(7). */
const capabilities: Readonly<Record<string, bigint>> = { CAP_NET_ADMIN: 12n, CAP_SYS_ADMIN: 21n };

export async function gatherHostFacts(): Promise<HostFacts> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  return {
    platform: process.platform,
    arch: process.arch,
    isRoot: process.geteuid?.() === 0,
    missingCapabilities: process.platform === 'linux' ? lackingCapabilities(status) : [],
    env: process.env,
  };
}

/** Reads the effective set out of `/proc/self/status`. */
export function lackingCapabilities(status: string): string[] {
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return Object.entries(capabilities)
    .filter(([, bit]) => (effective & (1n << bit)) === 0n)
    .map(([name]) => name);
}

export async function gatherFacts(signal?: AbortSignal): Promise<Facts> {
  const host = await gatherHostFacts();
  const tools = await findTools();
  const [state, cache, freeMemory, hasApt, cachedVersion, builders, kernel] = await Promise.all([
    folderFacts(stateFolder()),
    folderFacts(cacheFolder()),
    availableMemory(),
    which('apt-get').then(Boolean),
    cachedKubernetes(signal),
    findBuilders(),
    canTryKernel(host, tools) ? gatherKernelFacts(tools, kernelFeatures, signal) : undefined,
  ]);
  return {
    ...host,
    tools,
    cpus: availableParallelism(),
    ...(freeMemory === undefined ? {} : { freeMemory }),
    state,
    cache,
    hasApt,
    builders,
    ...(cachedVersion ? { cachedVersion } : {}),
    ...(kernel ? { kernel } : {}),
  };
}

function canTryKernel({ platform, isRoot, missingCapabilities }: HostFacts, { programs }: ToolFacts): boolean {
  return platform === 'linux' && isRoot && missingCapabilities.length === 0 && programs.unshare !== undefined;
}

export async function gatherKernelFacts(
  tools: ToolFacts,
  features: readonly KernelFeature[],
  signal?: AbortSignal,
): Promise<KernelFacts> {
  const scratch = await mkdtemp(join(await nearestFolder(stateFolder()), '.kurator-trial-'));
  try {
    const [trials, cgroups] = await Promise.all([
      tryKernel(features, tools.programs, scratch, signal),
      gatherCgroupFacts(),
    ]);
    return { ...trials, cgroups };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function folderFacts(path: string): Promise<FolderFacts> {
  const there = await nearestFolder(path);
  const writable = await access(there, constants.W_OK).then(
    () => true,
    () => false,
  );
  const { bavail, bsize } = await statfs(there);
  return { path, writable, freeBytes: bavail * bsize };
}

/** The folder itself, or what it would be made in. */
async function nearestFolder(path: string): Promise<string> {
  const there = await access(path).then(
    () => true,
    () => false,
  );
  return there || dirname(path) === path ? path : await nearestFolder(dirname(path));
}

async function availableMemory(): Promise<number | undefined> {
  const meminfo = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(meminfo)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

async function cachedKubernetes(signal: AbortSignal | undefined): Promise<string | undefined> {
  const env = { ...process.env, KURATOR_BINARY_SOURCES: 'cache' };
  const request = {
    programs: ['etcd', 'kube-apiserver', 'kubelet', 'coredns'] as const,
    env,
    ...(signal ? { signal } : {}),
  };
  return await resolveBinaries(request).then(
    ({ version }) => version,
    () => undefined,
  );
}

async function findBuilders(): Promise<Facts['builders']> {
  const [go, pip3, pip = pip3] = await Promise.all(['go', 'pip3', 'pip'].map((program) => which(program)));
  return { ...(go ? { go } : {}), ...(pip ? { pip } : {}) };
}
