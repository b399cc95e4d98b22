/** Pods for tests: made, awaited, and spoken to. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Client, type Container, Pod, type PodSpec, waitFor } from '@kurator/client';
import { BUSYBOX_IMAGE, type Cluster } from '@kurator/testenv';

/** A pod with one busybox container. */
export interface PodOptions {
  name: string;
  node: string;
  /** What its only container runs, in a shell. Default: nothing, for ever. */
  script?: string;
  labels?: Record<string, string>;
  container?: Partial<Container>;
  spec?: Partial<PodSpec>;
}

const READY_DEADLINE = 60_000;

/** Makes a pod in the namespace `default` and waits until it is Ready. It ends at once when it is deleted. */
export async function startPod(client: Client, options: PodOptions): Promise<Pod> {
  const { name, node, script = 'exec sleep 100000', labels = {}, container, spec } = options;
  await client.create(Pod, {
    metadata: { name, namespace: 'default', labels },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node },
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: BUSYBOX_IMAGE, command: ['sh', '-c', script], ...container }],
      ...spec,
    },
  });
  return await untilReady(client, name);
}

/** Waits until a pod is Ready, or no longer is. */
export async function untilReady(client: Client, name: string, ready = true): Promise<Pod> {
  return await untilPod(client, name, ready ? 'to be Ready' : 'to be no longer Ready', (pod) => isReady(pod) === ready);
}

/** Waits until a pod is as wanted, and returns it. */
export async function untilPod(
  client: Client,
  name: string,
  description: string,
  condition: (pod: Pod) => boolean,
): Promise<Pod> {
  return await waitFor(client, Pod, { name, namespace: 'default' }, condition, {
    description,
    timeout: READY_DEADLINE,
  });
}

/** A pod's own address. */
export function addressOf(pod: Pod): string {
  return pod.status?.podIP ?? '';
}

/** Deletes a pod and its processes without waiting for the kubelet. */
export async function removePod(client: Client, name: string): Promise<void> {
  await client.delete(Pod, { name, namespace: 'default' }, { gracePeriodSeconds: 0 });
}

function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** A program in a pod that is spoken to line by line. */
export interface Conversation extends Disposable {
  /** Sends a line and gives the next one that comes back. */
  ask(line: string): Promise<string>;
}

/** Starts a program in a pod and speaks to it. */
export function converse(cluster: Cluster, pod: string, ...command: string[]): Conversation {
  const args = ['--kubeconfig', cluster.kubeconfig, 'exec', '-i', pod, '--', ...command];
  const child: ChildProcess = spawn(cluster.config.programs.kubectl ?? 'kubectl', args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return {
    async ask(line) {
      child.stdin?.write(`${line}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${command.join(' ')} in ${pod} ended`);
      return value;
    },
    [Symbol.dispose]: () => child.kill(),
  };
}
