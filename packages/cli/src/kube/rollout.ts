/** Waits until what was applied is in force: kinds that are served, pods that are ready. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, Deployment, type KubernetesObject, type ObjectReference, Pod, waitFor } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { CliError } from '@kurator/command';
import { selectorText } from '@kurator/command/kube';
import { rolloutCondition } from '@kurator/runtime';
import type { Reporter } from '@kurator/testenv';

const BETWEEN_LOOKS = 500;

export async function untilEstablished(
  client: Client,
  crds: readonly KubernetesObject[],
  signal: AbortSignal,
): Promise<void> {
  const isTrue = ({ status }: CustomResourceDefinition) =>
    status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ?? false;
  for (const { metadata } of crds) {
    const ref = { name: metadata.name ?? '' };
    await waitFor(client, CustomResourceDefinition, ref, isTrue, { description: 'to be established', signal });
  }
}

/** How long, and who hears how far it is. */
export interface RolloutOptions {
  readonly timeoutMs: number;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
}

/** Resolves when all replicas are ready in their latest form; else the error says what keeps them. */
export async function untilRolledOut(client: Client, ref: ObjectReference, options: RolloutOptions): Promise<void> {
  const { timeoutMs, reporter, signal } = options;
  const deadline = Date.now() + timeoutMs;
  const task = `Waiting for ${ref.name}`;
  for (;;) {
    const deployment = await client.get(Deployment, ref, { signal });
    const labelSelector = selectorText(deployment.spec?.selector);
    const { items } = await client.list(Pod, { namespace: ref.namespace, labelSelector, signal });
    const { status, message, reason } = rolloutCondition(deployment, items);
    const { replicas = 1 } = deployment.spec ?? {};
    if (status === 'True') {
      reporter.progress(task, 1);
      return;
    }
    reporter.progress(task, Math.min(0.99, (deployment.status?.readyReplicas ?? 0) / Math.max(1, replicas)), message);
    if (Date.now() > deadline) throw inVain(ref, timeoutMs, reason, message ?? '');
    await delay(BETWEEN_LOOKS, undefined, { signal });
  }
}

const remedies: Readonly<Record<string, string>> = {
  ImagePullBackOff:
    'push the image where the nodes can pull it (kurator push), or load it into a local cluster (kurator build --load)',
  CrashLoopBackOff: 'see why: kubectl logs -n NAMESPACE deployment/NAME --previous',
};

function inVain({ name, namespace }: ObjectReference, timeoutMs: number, reason: string, message: string): CliError {
  const told = `everything is applied, but ${name} was not ready after ${timeoutMs / 1000} s: ${message}`;
  const remedy = remedies[reason] ?? 'see kubectl describe pods -n NAMESPACE, or give it more time with --timeout';
  return new CliError('KUR_CLI_NOT_READY', told, {
    remedy: remedy.replace('NAMESPACE', namespace ?? '').replace('NAME', name),
  });
}
