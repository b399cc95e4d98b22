/** Finds, or installs, what a node needs from the machine; refuses with one sentence where a node can't run. */
import type { containerdPrograms } from '../binaries/program.ts';
import { messageOf, TestenvError } from '../error.ts';
import { which } from '../internal/which.ts';
import type { Reporter } from '../reporter.ts';
import { missingControllers } from './cgroup-facts.ts';
import { installCommand, unproven, whyNoNodes } from './checks.ts';
import { mayInstall } from './consent.ts';
import { gatherHostFacts, gatherKernelFacts, type KernelFacts } from './facts.ts';
import { kernelFeatures } from './kernel-features.ts';
import { isFetched, obtainRuntime, ownTools } from './node-runtime.ts';
import { installPackages } from './packages.ts';
import { catchingProxy, clusterRange } from './proxy.ts';
import { findTools, missingPackages, missingTools, type ToolFacts } from './tools.ts';

/** Where the parts of a node are that are not Kubernetes'. */
export interface NodePrerequisites {
  readonly programs: Readonly<Record<(typeof containerdPrograms)[number] | 'runc', string>>;
  /** The folder of the CNI plugins. */
  readonly cniPlugins: string;
}

/** How nodes are prepared. */
export interface PrepareOptions {
  /**
   * Whether missing Debian packages may be installed; if not, it is refused, with the command. Default: only with
   * `KURATOR_INSTALL=yes` or `CI=true`.
   */
  install?: boolean | undefined;
  /** A folder whose containerd, runc and CNI plugins come before the machine's own. */
  binaries?: string | undefined;
  reporter: Reporter;
  signal?: AbortSignal;
}

/** Checks that this machine can run nodes, and installs the Debian packages that are missing. */
export async function prepareNodes(options: PrepareOptions): Promise<NodePrerequisites> {
  const { reporter, signal } = options;
  const host = await gatherHostFacts();
  const problem = whyNoNodes(host);
  if (problem) throw new TestenvError(`KUR_TESTENV_${problem.code}`, problem.message, { remedy: problem.remedy });
  const untried = unproven(host);
  if (untried) reporter.info(`Going on, though ${untried}.`);
  const tools = await obtainTools(options);
  refuseUnfitKernel(await gatherKernelFacts(tools, requiredFeatures, signal));
  const proxy = catchingProxy(host.env);
  if (proxy)
    reporter.info(
      `${proxy} is set: add ${clusterRange} to NO_PROXY, or kubectl will look for the cluster at that proxy.`,
    );
  return { programs: tools.programs as NodePrerequisites['programs'], cniPlugins: tools.cniFolder as string };
}

const requiredFeatures = kernelFeatures.filter(({ optional }) => !optional);

/**
 * What the machine has; then what is in the cache; then Debian's packages, which are there in seconds; and where these can't
 * be installed, containerd, runc and the CNI plugins by download, and by a build where there is no apt-get to ask for.
 */
async function obtainTools(options: PrepareOptions): Promise<ToolFacts> {
  const { install = mayInstall(process.env), reporter, signal } = options;
  const first = isFetched(process.env) ? (['cache', 'download', 'build'] as const) : (['cache'] as const);
  const before = await obtainRuntime(await ownTools(options), first, options);
  const { required, extra } = missingPackages(before);
  if (required.length === 0 && (extra.length === 0 || !install)) return before;
  const hasApt = (await which('apt-get')) !== undefined;
  if (required.length === 0) {
    if (hasApt) await installExtras(extra, reporter, signal);
    return await withInstalled(before);
  }
  if (!install || !hasApt) {
    const obtained = await obtainRuntime(before, hasApt ? ['download'] : ['download', 'build'], options);
    const { required: lacking } = missingPackages(obtained);
    if (lacking.length > 0) throw notInstalled(obtained, lacking, hasApt);
    return obtained;
  }
  await installPackages([...required, ...extra], { reporter, signal });
  // A distribution may have it, and too old.
  const after = await obtainRuntime(await withInstalled(before), ['download'], options);
  const missing = missingTools(after);
  if (missing.length > 0) throw notFoundAfterInstall(missing);
  return after;
}

/** What was there already stays what is used. */
async function withInstalled(before: ToolFacts): Promise<ToolFacts> {
  const after = await findTools();
  return {
    ...after,
    ...(before.cniFolder ? before : {}),
    tooOld: after.tooOld ?? {},
    programs: { ...after.programs, ...before.programs },
  };
}

/** Nodes run without these, so that they can't be had is no reason to refuse. */
async function installExtras(
  packages: readonly string[],
  reporter: Reporter,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await installPackages(packages, { reporter, signal, quick: true });
  } catch (error) {
    signal?.throwIfAborted();
    reporter.info(`Going on without: ${messageOf(error)}`);
  }
}

function notInstalled(tools: ToolFacts, packages: readonly string[], hasApt: boolean): TestenvError {
  const missing = missingTools(tools);
  const verb = missing.length === 1 && tools.cniFolder ? 'is' : 'are';
  return new TestenvError(
    'KUR_TESTENV_NOT_INSTALLED',
    `nodes need ${missing.join(', ')}, which ${verb} not installed`,
    {
      remedy: hasApt ? `${installCommand(packages, true)} (or give --install)` : installCommand(packages, false),
    },
  );
}

function notFoundAfterInstall(missing: readonly string[]): TestenvError {
  return new TestenvError(
    'KUR_TESTENV_NOT_INSTALLED',
    `the packages are installed, but ${missing.join(', ')} can't be found`,
    {
      remedy: 'export PATH="$PATH:/usr/sbin:/sbin:/usr/bin:/bin"',
    },
  );
}

function refuseUnfitKernel({ namespaces, features, cgroups }: KernelFacts): void {
  const kinds = [...namespaces].filter(([, why]) => why !== undefined).map(([kind]) => kind);
  if (kinds.length > 0)
    throw unfit(`${kinds.join(', ')} namespaces`, 'use a kernel that has them; in a container, run it privileged');
  const controllers = missingControllers(cgroups);
  if (controllers.length > 0)
    throw unfit(`the cgroup controllers ${controllers.join(', ')}`, 'mount them, or boot with cgroup_enable=memory');
  if (cgroups.unwritable.length > 0) {
    throw unfit(
      `control groups that can be written (${cgroups.unwritable.join(', ')})`,
      'mount them writable; in a container, run it privileged',
    );
  }
  const failed = requiredFeatures.filter(({ id }) => features.get(id) !== undefined);
  if (failed.length === 0) return;
  const names = failed.map(({ id, title }) => `${title} (${features.get(id)})`);
  throw unfit(names.join(', '), [...new Set(failed.map(({ remedy }) => remedy))].join(' && '));
}

function unfit(what: string, remedy: string): TestenvError {
  return new TestenvError('KUR_TESTENV_KERNEL', `nodes need what this kernel does not give: ${what}`, { remedy });
}
