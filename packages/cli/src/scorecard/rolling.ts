/** Replaces the operator's pods, and watches whether somebody is there all the time. */
import { setTimeout as delay } from 'node:timers/promises';
import { Deployment } from '@kurator/client';
import { rolloutCondition } from '@kurator/runtime';
import type { Live } from './live.ts';

const FIELD_MANAGER = 'kurator-scorecard';
const BETWEEN_LOOKS = 250;

/** As `kubectl rollout restart` does. Gives what went wrong. */
export async function rolled(live: Live): Promise<string | undefined> {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
  return await through(live, { spec: { template: { metadata: { annotations } } } });
}

/** To another image, and back to what it was. Gives what went wrong. */
export async function upgradedAndBack(live: Live, image: string): Promise<string | undefined> {
  const { metadata, spec } = await live.deployment();
  const [container] = spec?.template.spec?.containers ?? [];
  const withImage = (each: string | undefined) => {
    return { spec: { template: { spec: { containers: [{ name: container?.name, image: each }] } } } };
  };
  if (container?.image === image) return `it runs ${image} already`;
  try {
    const problem = await through(live, withImage(image));
    return problem && `with ${image}: ${problem}`;
  } finally {
    await through({ ...live, signal: AbortSignal.timeout(live.timeoutMs) }, withImage(container?.image));
    // Whoever had set the image is to have it again: the next deployment would be told of a conflict.
    const owners = { metadata: { managedFields: metadata.managedFields } };
    await live.client.patch(Deployment, live.ref, owners, { fieldManager: FIELD_MANAGER });
  }
}

async function through(live: Live, patch: object): Promise<string | undefined> {
  const { client, ref, timeoutMs, signal, reporter } = live;
  const deadline = Date.now() + timeoutMs;
  const { metadata } = await client.patch(Deployment, ref, patch, {
    fieldManager: FIELD_MANAGER,
    type: 'strategic',
    signal,
  });
  const task = `Rolling ${ref.name}`;
  try {
    for (;;) {
      const deployment = await live.deployment();
      const { availableReplicas = 0, observedGeneration = 0 } = deployment.status ?? {};
      if (availableReplicas === 0) return 'for a moment no replica was available';
      const { status, message = '' } = rolloutCondition(deployment, await live.pods());
      if (status === 'True' && observedGeneration >= (metadata.generation ?? 0)) return undefined;
      if (Date.now() > deadline) return `it was not through after ${timeoutMs / 1000} s: ${message}`;
      reporter.progress(task, undefined, message);
      await delay(BETWEEN_LOOKS, undefined, { signal });
    }
  } finally {
    reporter.progress(task, 1);
  }
}
