/** Turns what was asked for into what will be run: every program found, fetched or built, every image made. */
import { randomBytes } from 'node:crypto';
import type { Binaries, Program } from '../binaries/program.ts';
import { type BinaryRequest, resolveBinaries } from '../binaries/resolve.ts';
import { pauseImage } from '../images/pause-image.ts';
import { prepareNodes } from '../preflight/prepare-nodes.ts';
import { silent } from '../reporter.ts';
import type { ClusterConfig } from './cluster-config.ts';
import type { ClusterOptions } from './cluster-options.ts';

const controlPlanePrograms: readonly Program[] = ['etcd', 'kube-apiserver', 'kubectl'];
const controllerPrograms: readonly Program[] = ['kube-controller-manager', 'kube-scheduler'];
const nodePrograms: readonly Program[] = ['kubelet', 'kube-proxy'];

export async function configure(options: ClusterOptions, name: string, nodes: number): Promise<ClusterConfig> {
  const { controllers = nodes > 0, audit = false, fastFailureDetection = false, closed = true } = options;
  const { port, apiServerArguments } = options;
  const plane = await findControlPlane(options, nodes, controllers);
  const onNodes = nodes > 0 ? await findNodes(options, plane.version) : controlPlaneAlone(plane.version);
  return {
    name,
    id: randomBytes(4).toString('hex'),
    nodes,
    ...plane,
    ...onNodes,
    controllers,
    audit,
    fastFailureDetection,
    closed,
    ...(port === undefined ? {} : { port }),
    ...(apiServerArguments ? { apiServerArguments } : {}),
    createdAt: new Date().toISOString(),
  };
}

async function findControlPlane(
  options: ClusterOptions,
  nodes: number,
  controllers: boolean,
): Promise<Pick<ClusterConfig, 'version' | 'programs'>> {
  const wanted = [
    ...controlPlanePrograms,
    ...(controllers ? controllerPrograms : []),
    ...(nodes > 0 ? (['coredns'] as const) : []),
  ];
  const version = options.version ? { version: options.version } : {};
  const found = await resolveBinaries({ ...sourcesOf(options), ...version, programs: wanted });
  return { version: found.version, programs: pathsOf(found, wanted) };
}

type NodeParts = Pick<ClusterConfig, 'nodeVersion' | 'nodePrograms' | 'cniPlugins' | 'images'>;

async function findNodes(options: ClusterOptions, planeVersion: string): Promise<NodeParts> {
  const { install, reporter = silent, signal } = options;
  const { programs, cniPlugins } = await prepareNodes({
    install,
    reporter,
    binaries: options.binaries,
    ...(signal ? { signal } : {}),
  });
  const version = options.nodeVersion ?? planeVersion;
  const found = await resolveBinaries({ ...sourcesOf(options), version, programs: nodePrograms });
  return {
    nodeVersion: found.version,
    nodePrograms: { ...programs, ...pathsOf(found, nodePrograms) },
    cniPlugins,
    images: [(await pauseImage()).path],
  };
}

function controlPlaneAlone(version: string): NodeParts {
  return { nodeVersion: version, nodePrograms: {}, cniPlugins: '', images: [] };
}

function sourcesOf({ reporter, signal, binaries }: ClusterOptions): Omit<BinaryRequest, 'programs' | 'version'> {
  return {
    ...(reporter ? { reporter } : {}),
    ...(signal ? { signal } : {}),
    ...(binaries ? { folder: binaries } : {}),
  };
}

function pathsOf(found: Binaries, programs: readonly Program[]): Record<string, string> {
  return Object.fromEntries(programs.map((program) => [program, found.path(program)]));
}
