/** The pods and containers that a request can name, and what the kernel calls them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pod } from '@kurator/client';
import { cgroupOf } from '../../machines/cgroups.ts';
import type { ContainerTarget } from '../requests/fault-kind.ts';
import { commandName, findCgroup, pidsIn } from './cgroup-processes.ts';
import { networkOf, noTarget } from './machine-target.ts';
import type { TargetCluster, TargetNode } from './target-cluster.ts';

/** A pod that runs. */
export interface PodTarget {
  /** `namespace/name`. */
  readonly title: string;
  readonly object: Pod;
  readonly node: TargetNode;
  /** Below every cgroup hierarchy's root; unique, because the pod's uid is part of it. */
  readonly cgroup: string;
}

/** A container that runs. */
export interface ContainerProcesses extends PodTarget {
  readonly container: string;
  /** containerd's name for it. */
  readonly id: string;
  /** Below every cgroup hierarchy's root. */
  readonly cgroup: string;
  /** The main process, as the host sees it. */
  readonly main: number;
}

const LOOK_UP_DEADLINE = 10_000;
const CLASSES = ['', 'burstable', 'besteffort'];

/** Finds a pod that runs on one of the cluster's nodes. */
export async function findPod(
  cluster: TargetCluster,
  { pod: name, namespace = 'default' }: Omit<ContainerTarget, 'container'>,
): Promise<PodTarget> {
  networkOf(cluster);
  const title = `${namespace}/${name}`;
  const object = await lookUp(cluster, name, namespace);
  const node = cluster.nodes.find((it) => it.name === object.spec?.nodeName);
  if (!node) throw noTarget(`pod ${title} is on no node yet`, 'wait until it runs');
  const kubepods = join(cgroupOf(cluster.config), node.name, 'kubepods');
  const cgroup = await findCgroup(CLASSES.map((name) => join(kubepods, name, `pod${object.metadata.uid}`)));
  if (!cgroup) throw noTarget(`pod ${title} has no processes on ${node.name}`, 'wait until it runs');
  return { title, object, node, cgroup };
}

async function lookUp(cluster: TargetCluster, name: string, namespace: string): Promise<Pod> {
  const found = await cluster.controlPlane.client
    .find(Pod, { name, namespace }, { timeout: LOOK_UP_DEADLINE })
    .catch((cause: unknown) => {
      throw noTarget(
        `could not look up pod ${namespace}/${name}, because the API server does not answer`,
        'heal what keeps it from answering first',
        cause,
      );
    });
  if (found) return found;
  throw noTarget(
    `there is no pod "${name}" in the namespace ${namespace}`,
    'kubectl get pods --all-namespaces shows what there is',
  );
}

/** Finds a running container. */
export async function findContainer(cluster: TargetCluster, target: ContainerTarget): Promise<ContainerProcesses> {
  const pod = await findPod(cluster, target);
  const name = target.container ?? defaultContainer(pod.object);
  const statuses = [
    ...(pod.object.status?.containerStatuses ?? []),
    ...(pod.object.status?.initContainerStatuses ?? []),
  ];
  const status = statuses.find((it) => it.name === name);
  if (!status) {
    throw noTarget(
      `pod ${pod.title} has no container "${name}"`,
      `use one of ${statuses.map((it) => it.name).join(', ')}`,
    );
  }
  const id = status.containerID?.replace('containerd://', '');
  const cgroup = id && status.state?.running ? join(pod.cgroup, id) : undefined;
  const main = cgroup && (await mainProcess(pod.node, cgroup, id as string));
  if (!main) throw noTarget(`container ${name} of pod ${pod.title} does not run`, 'wait until it does');
  return { ...pod, container: name, id: id as string, cgroup, main };
}

function defaultContainer({ metadata, spec }: Pod): string {
  return metadata.annotations?.['kubectl.kubernetes.io/default-container'] ?? spec?.containers[0]?.name ?? '';
}

/** containerd writes down the main process's number as the node sees it; the kernel knows it by both. */
async function mainProcess(node: TargetNode, cgroup: string, id: string): Promise<number | undefined> {
  const root = node.machine.system && `/proc/${node.machine.system.pid}/root`;
  if (!root) return undefined;
  const onNode = await readFile(
    `${root}/run/containerd/io.containerd.runtime.v2.task/k8s.io/${id}/init.pid`,
    'utf8',
  ).catch(() => '');
  for (const pid of await pidsIn(cgroup)) {
    const [, numberOnNode] = await numbersOf(pid);
    if (numberOnNode !== undefined && numberOnNode === Number(onNode)) return pid;
  }
  return undefined;
}

/** A process's number in each process namespace it is in, from ours inwards. */
async function numbersOf(pid: number): Promise<number[]> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (/^NSpid:\s+(.*)$/m.exec(status)?.[1] ?? '').split(/\s+/).filter(Boolean).map(Number);
}

/** The process that holds a pod's network, as long as the pod is there. */
export async function sandboxProcess({ cgroup }: Pick<PodTarget, 'cgroup'>): Promise<number | undefined> {
  for (const pid of await pidsIn(cgroup)) if ((await commandName(pid)) === 'pause') return pid;
  return undefined;
}

/** Refuses pods that have no network of their own, because a rule for them would be one for their node. */
export function refuseHostNetwork({ object, title, node }: PodTarget): void {
  if (!object.spec?.hostNetwork) return;
  throw noTarget(`pod ${title} uses the network of its node`, `give { node: '${node.name}' } instead`);
}
