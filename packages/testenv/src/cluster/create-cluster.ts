/** Making a cluster: check, fetch, claim the name, start its supervisor, wait until it is ready. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ownerToken } from '../binaries/owner.ts';
import type { Program } from '../binaries/program.ts';
import { resolveBinaries } from '../binaries/resolve.ts';
import { TestenvError, type TestenvErrorCode } from '../error.ts';
import { until } from '../internal/until.ts';
import { pauseImage } from '../images/pause-image.ts';
import { prepareNodes } from '../preflight/prepare-nodes.ts';
import { type Reporter, silent } from '../reporter.ts';
import { maxNodes } from './addresses.ts';
import { type Cluster, clusterAt } from './cluster.ts';
import { type ClusterConfig, clusterFiles, clustersFolder, readConfig, writeConfig } from './cluster-config.ts';
import { claimFolder, removeRemains, supervisorOf, sweepLeftovers } from './lifetime.ts';
import { detachWord, type SupervisorMessage } from './supervisor/messages.ts';

export interface ClusterOptions {
  /** Lower case letters, digits and dashes, at most 32. Default: `kurator`. */
  name?: string;
  /** 0 to 32; 0 is a control plane alone, which needs neither root nor Linux. Default: 0. */
  nodes?: number;
  /** Kubernetes, as `1.36` or `1.36.3`. */
  version?: string;
  /** The nodes' Kubernetes, to test version skew. Default: the same. */
  nodeVersion?: string;
  /** Whether the controller manager and the scheduler run. Default: only with nodes. */
  controllers?: boolean;
  /** Whether every request to the API server is written to `logs/audit.log`. Default: no. */
  audit?: boolean;
  /** Dead nodes are noticed within seconds instead of Kubernetes' usual minute. Default: no. */
  fastFailureDetection?: boolean;
  /** The API server's port on loopback, for a control plane alone. Default: a free one. */
  port?: number;
  /** `--flag=value` for the API server, after ours. */
  apiServerArguments?: readonly string[];
  /** A folder with the programs, used instead of the cache, a download or a build. */
  binaries?: string;
  /** Whether missing Debian packages may be installed. Default: yes, after saying so. */
  install?: boolean;
  /** Whether it outlives this process. Default: no; it is taken down when this process ends, however that happens. */
  detached?: boolean;
  reporter?: Reporter;
  signal?: AbortSignal;
}

export interface CreatedCluster {
  cluster: Cluster;
  /** False if a cluster of this name and shape was already running. */
  created: boolean;
}

const START_DEADLINE = 120_000;

export async function createCluster(options: ClusterOptions = {}): Promise<CreatedCluster> {
  const { reporter = silent, signal } = options;
  const { name, nodes } = checkOptions(options);
  const folder = join(clustersFolder(), name);
  await mkdir(clustersFolder(), { recursive: true, mode: 0o700 });
  await sweepLeftovers();

  const running = await runningCluster(folder, options);
  if (running) return { cluster: sameOrRefuse(running, options), created: false };

  const config = await configure(options, name, nodes);
  const claimed = await claimFolder(folder, async (claim) => {
    await mkdir(clusterFiles(claim).logs);
    await writeConfig(claim, config);
    await writeFile(clusterFiles(claim).owner, ownerToken());
  });
  // Somebody else was quicker by a moment: then theirs is the cluster.
  if (!claimed) return await createCluster(options);
  try {
    signal?.throwIfAborted();
    await startSupervisor(folder, { reporter, signal, detached: options.detached ?? false });
  } catch (error) {
    await removeRemains(folder, name);
    throw error;
  }
  return { cluster: clusterAt(folder, config), created: true };
}

/** The cluster in this folder, if it lives, once it is ready; remains of a dead one are removed. */
async function runningCluster(folder: string, { reporter = silent, signal }: ClusterOptions): Promise<Cluster | undefined> {
  const supervisor = await supervisorOf(folder);
  if (!supervisor) return undefined;
  const config = await readConfig(folder);
  if (supervisor.alive) {
    const cluster = clusterAt(folder, config);
    const answers = () => cluster.status().then(() => 'ready' as const);
    const ended = async () => ((await supervisorOf(folder))?.alive ? undefined : ('gone' as const));
    const outcome = await until(`the cluster "${config.name}", which another process is starting`, async () => (await ended()) ?? (await answers()), {
      timeout: START_DEADLINE,
      interval: 100,
      ...(signal ? { signal } : {}),
    });
    return outcome === 'ready' ? cluster : undefined;
  }
  reporter.info(`Removing what a killed run left in ${folder}`);
  await removeRemains(folder, config.name);
  return undefined;
}

function sameOrRefuse(cluster: Cluster, options: ClusterOptions): Cluster {
  const { config } = cluster;
  const differences = [
    options.nodes !== undefined && options.nodes !== config.nodes && `it has ${config.nodes} nodes, not ${options.nodes}`,
    options.version !== undefined && !config.version.startsWith(options.version.replace(/^v/, '')) && `it runs Kubernetes ${config.version}, not ${options.version}`,
  ].filter(Boolean);
  if (differences.length === 0) return cluster;
  throw new TestenvError('KUR_TESTENV_NAME_TAKEN', `a cluster called "${config.name}" is already running: ${differences.join(', ')}`, {
    remedy: `take it down first (kurator cluster down --name ${config.name}) or choose another --name`,
  });
}

function checkOptions({ name = 'kurator', nodes = 0, port }: ClusterOptions): { name: string; nodes: number } {
  if (!/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(name)) {
    throw new TestenvError('KUR_TESTENV_OPTION', `name "${name}" is not one: use at most 32 lower case letters, digits and dashes`);
  }
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > maxNodes) {
    throw new TestenvError('KUR_TESTENV_OPTION', `nodes is ${nodes}: use a whole number from 0 (control plane alone) to ${maxNodes}`);
  }
  if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > 65535)) {
    throw new TestenvError('KUR_TESTENV_OPTION', `port is ${port}: use a whole number from 1 to 65535`);
  }
  if (port !== undefined && nodes > 0) {
    throw new TestenvError('KUR_TESTENV_OPTION', 'port is for a control plane alone: with nodes the API server has an address of its own');
  }
  return { name, nodes };
}

const controlPlanePrograms: readonly Program[] = ['etcd', 'kube-apiserver', 'kubectl'];
const controllerPrograms: readonly Program[] = ['kube-controller-manager', 'kube-scheduler'];
const nodePrograms: readonly Program[] = ['kubelet', 'kube-proxy'];

async function configure(options: ClusterOptions, name: string, nodes: number): Promise<ClusterConfig> {
  const { reporter = silent, signal, controllers = nodes > 0 } = options;
  const shared = { reporter, ...(signal ? { signal } : {}), ...(options.binaries ? { folder: options.binaries } : {}) };
  const system = nodes > 0 ? await prepareNodes({ reporter, install: options.install ?? true, ...(signal ? { signal } : {}) }) : undefined;
  const programs = [...controlPlanePrograms, ...(controllers ? controllerPrograms : []), ...(nodes > 0 ? (['coredns'] as const) : [])];
  const plane = await resolveBinaries({ ...shared, programs, ...(options.version ? { version: options.version } : {}) });
  const onNodes = nodes > 0 ? await resolveBinaries({ ...shared, programs: nodePrograms, version: options.nodeVersion ?? plane.version }) : plane;
  const images = nodes > 0 ? [(await pauseImage()).path] : [];
  return {
    name,
    nodes,
    version: plane.version,
    nodeVersion: onNodes.version,
    controllers,
    audit: options.audit ?? false,
    fastFailureDetection: options.fastFailureDetection ?? false,
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.apiServerArguments ? { apiServerArguments: options.apiServerArguments } : {}),
    programs: Object.fromEntries(programs.map((program) => [program, plane.path(program)])),
    nodePrograms: { ...system?.programs, ...(nodes > 0 ? Object.fromEntries(nodePrograms.map((program) => [program, onNodes.path(program)])) : {}) },
    cniPlugins: system?.cniPlugins ?? '',
    images,
    createdAt: new Date().toISOString(),
  };
}

interface SupervisorOptions {
  reporter: Reporter;
  signal: AbortSignal | undefined;
  detached: boolean;
}

/** A supervisor that runs from sources is told so; one that runs from a published package needs nothing. */
const supervisorEntry = join(import.meta.dirname, 'supervisor', `main${extname(import.meta.filename)}`);
const sourceArguments = supervisorEntry.endsWith('.ts') ? ['--conditions=source'] : [];

async function startSupervisor(folder: string, { reporter, signal, detached }: SupervisorOptions): Promise<void> {
  const log = await open(join(clusterFiles(folder).logs, 'supervisor.log'), 'a');
  const supervisor = spawn(process.execPath, [...sourceArguments, supervisorEntry, folder], {
    detached: true,
    stdio: ['pipe', 'pipe', log.fd],
  });
  await log.close();
  const ended = new Promise<void>((resolve) => supervisor.once('exit', () => resolve()));
  supervisor.stdin?.on('error', () => {});
  const abort = () => supervisor.kill('SIGTERM');
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await untilReady(supervisor, folder, reporter);
  } catch (error) {
    supervisor.kill('SIGTERM');
    await ended;
    throw signal?.aborted ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  if (detached) supervisor.stdin?.end(`${detachWord}\n`);
  letGo(supervisor);
}

async function untilReady(supervisor: ChildProcess, folder: string, reporter: Reporter): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const lines = createInterface({ input: supervisor.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      const message = JSON.parse(line) as SupervisorMessage;
      if (message.type === 'info') reporter.info(message.message);
      else if (message.type === 'verbose') reporter.verbose(message.message);
      else if (message.type === 'progress') reporter.progress(message.task, message.fraction, message.detail);
      else if (message.type === 'ready') resolve();
      else {
        const { code, remedy } = message;
        reject(new TestenvError(code as TestenvErrorCode, message.message, remedy ? { remedy } : {}));
      }
    });
    supervisor.once('error', reject);
    supervisor.once('exit', (code, signal) => {
      const log = join(clusterFiles(folder).logs, 'supervisor.log');
      reject(new TestenvError('KUR_TESTENV_START', `the supervisor ended (${signal ?? `exit code ${code}`}) before the cluster was ready; its log was ${log}`));
    });
  });
}

/** This process may end without waiting for the supervisor; the open pipe tells the supervisor when it does. */
function letGo(supervisor: ChildProcess): void {
  supervisor.unref();
  for (const stream of [supervisor.stdin, supervisor.stdout]) (stream as unknown as { unref(): void } | null)?.unref();
}
