/** Replaces the operator's pods, and watches whether somebody is there all the time. */
import { setTimeout as delay } from 'node:timers/promises';
import { Deployment } from '@kurator/client';
import { rolloutCondition } from '@kurator/runtime';
import { untilRolledOut } from '../kube/rollout.ts';
import { type Live, looksAt } from './live.ts';

const FIELD_MANAGER = 'kurator-scorecard';
const BETWEEN_LOOKS = 250;

/** As `kubectl rollout restart` does. Gives what went wrong. */
export async function rolled(live: Live): Promise<string | undefined> {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
  return await throughToTheEnd(live, { spec: { template: { metadata: { annotations } } } });
}

/** To another image, and back to what it was. Gives what went wrong. */
export async function upgradedAndBack(live: Live, image: string): Promise<string | undefined> {
  const { metadata, spec } = await live.deployment();
  const [container] = spec?.template.spec?.containers ?? [];
  const withImage = (each: string | undefined) => {
    return { spec: { template: { spec: { containers: [{ name: container?.name, image: each }] } } } };
  };
  if (container?.image === image) return `it runs ${image} already`;
  let there: string | undefined;
  let back: string | undefined;
  try {
    there = await through(live, withImage(image));
  } finally {
    back = await putBack(live, withImage(container?.image), metadata.managedFields);
  }
  return there ? `with ${image}: ${there}` : back && `back with ${container?.image}: ${back}`;
}

/** Also for those who have interrupted it. */
async function putBack(live: Live, patch: object, managedFields: unknown): Promise<string | undefined> {
  const { signal } = new AbortController();
  try {
    return await throughToTheEnd({ ...live, ...looksAt(live.client, live.ref, signal), signal }, patch);
  } finally {
    // Whoever had set the image is to have it again: the next deployment would be told of a conflict.
    await live.client.patch(Deployment, live.ref, { metadata: { managedFields } }, { fieldManager: FIELD_MANAGER });
  }
}

/** Whatever goes wrong: what is tested next is not to be tested in the middle of this. */
async function throughToTheEnd(live: Live, patch: object): Promise<string | undefined> {
  const problem = await through(live, patch);
  if (problem) await untilRolledOut(live.client, live.ref, live).catch(() => undefined);
  return problem;
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
