/** The tour of a cluster with a node: an image, a Deployment, a Service by its DNS name, and logs. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Client, Deployment, Pod, Service, waitFor } from '@kurator/client';
import { busyboxImage, type Cluster, withoutProxyForClusters } from '@kurator/testenv';
import type { ActionContext } from '../action.ts';
import { CliError } from '../error.ts';
import { table } from '../terminal/table.ts';
import { sample, sampleDeployment, sampleService } from './sample.ts';
import type { Step } from './step.ts';

const fieldManager = 'kurator-tour';
const CALL_DEADLINE = 30_000;

export async function showNodes(cluster: Cluster, step: Step, context: ActionContext): Promise<void> {
  const { print, reporter, signal } = context;
  await using client = await cluster.client();

  const image = await busyboxImage({ reporter, signal });
  await cluster.load(image.path);
  step(`Built the image ${image.name} without a container engine, and loaded it into the node.`);

  await client.apply(Deployment, sampleDeployment, { fieldManager, signal });
  await client.apply(Service, sampleService, { fieldManager, signal });
  step(
    `Made a Deployment of ${sample.replicas} small web servers and a Service in front of them; waiting until they are ready.`,
  );
  await waitFor(client, Deployment, sample, ({ status }) => (status?.readyReplicas ?? 0) >= sample.replicas, {
    description: 'to have all its pods ready',
    timeout: 120_000,
    signal,
  });
  const pods = await podsOf(client, signal);
  step('Ready:\n');
  print(indent(podTable(pods)));

  print('');
  const caller = pods[0]?.metadata.name ?? '';
  const answer = await callService(cluster, caller, signal);
  step(`Called ${sample.url} from ${caller}. It answered: ${answer}`);

  const log = await client.logs({ name: caller, namespace: sample.namespace }, { signal });
  step(`What ${caller} has written to its log:\n`);
  print(indent(log.trimEnd().split('\n').slice(-5).join('\n')));
  print('');
}

async function podsOf(client: Client, signal: AbortSignal): Promise<Pod[]> {
  const { items } = await client.list(Pod, {
    namespace: sample.namespace,
    labelSelector: `app=${sample.name}`,
    signal,
  });
  return items;
}

function podTable(pods: readonly Pod[]): string {
  const rows = pods.map(({ metadata, spec, status }) => [
    metadata.name ?? '',
    status?.phase ?? '',
    status?.podIP ?? '',
    spec?.nodeName ?? '',
  ]);
  return table(['POD', 'PHASE', 'ADDRESS', 'NODE'], rows);
}

/** The rules for a new Service reach a node a moment after its pods are ready: so a first failure is not the last word. */
async function callService(cluster: Cluster, pod: string, signal: AbortSignal): Promise<string> {
  const kubectl = cluster.config.programs.kubectl ?? 'kubectl';
  // busybox's own `wget -T` crashes in Debian 12's build of it.
  const command = [
    'exec',
    pod,
    '--namespace',
    sample.namespace,
    '--',
    'timeout',
    '5',
    'wget',
    '-q',
    '-O',
    '-',
    sample.url,
  ];
  const env = { ...withoutProxyForClusters(process.env), KUBECONFIG: cluster.kubeconfig };
  const deadline = Date.now() + CALL_DEADLINE;
  for (;;) {
    try {
      const { stdout } = await promisify(execFile)(kubectl, command, { env, signal });
      return stdout.trim();
    } catch (error) {
      signal.throwIfAborted();
      if (Date.now() > deadline) throw noAnswer(error);
      await delay(200, undefined, { signal });
    }
  }
}

function noAnswer(cause: unknown): CliError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CliError('KUR_CLI_TOUR', `${sample.url} does not answer: ${why.trim()}`, {
    remedy: 'kurator doctor says whether this machine lacks something',
    cause,
  });
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '         ');
}
