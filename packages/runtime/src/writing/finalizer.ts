/**
 * Finalizers that can't be lost: each change touches ours alone, and holds only if the list is still the one that was
 * looked at. Whoever adds or removes another one at the same time makes us look again, and loses nothing.
 */
import { hasCode, isConflict, isNotFound, type KubernetesObject, type ResourceType } from '@kurator/client';
import { RuntimeError } from '../error.ts';
import type { WritingTools } from './writing-tools.ts';

const TRIES = 5;
const qualifiedName =
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Refuses a name that Kubernetes would only warn of, or that two operators could choose by accident. */
function checkFinalizerName(name: string): void {
  if (qualifiedName.test(name) && name.length <= 253) return;
  throw new RuntimeError('KUR_RUNTIME_BAD_FINALIZER', `${JSON.stringify(name)} is no name for a finalizer`, {
    remedy: 'use a domain of yours, "/" and a word: example.com/cleanup',
  });
}

/** Whether an object is held by this finalizer. */
export function hasFinalizer({ metadata }: KubernetesObject, name: string): boolean {
  return metadata.finalizers?.includes(name) ?? false;
}

/** The object with the finalizer; undefined if it is gone or being deleted, when none can be added any more. */
export async function addFinalizer<T extends KubernetesObject>(
  tools: WritingTools,
  type: ResourceType<T>,
  object: T,
  name: string,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  checkFinalizerName(name);
  return await untilAgreed(tools, type, object, signal, (object) => {
    const { finalizers, deletionTimestamp } = object.metadata;
    if (hasFinalizer(object, name)) return object;
    if (deletionTimestamp) return undefined;
    return [
      { op: 'test', path: '/metadata/finalizers', value: finalizers ?? null },
      ...(finalizers ? [] : [{ op: 'add', path: '/metadata/finalizers', value: [] }]),
      { op: 'add', path: '/metadata/finalizers/-', value: name },
    ];
  });
}

/** The object without the finalizer; undefined if it is gone, as it is once its last one was removed. */
export async function removeFinalizer<T extends KubernetesObject>(
  tools: WritingTools,
  type: ResourceType<T>,
  object: T,
  name: string,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  const left = await untilAgreed(tools, type, object, signal, (object) => {
    const index = object.metadata.finalizers?.indexOf(name) ?? -1;
    if (index < 0) return object;
    const path = `/metadata/finalizers/${index}`;
    return [
      { op: 'test', path, value: name },
      { op: 'remove', path },
    ];
  });
  // The answer to the removal of the last one shows what was there before it went.
  const isGone = left?.metadata.deletionTimestamp && !left.metadata.finalizers?.length;
  return isGone ? undefined : left;
}

/** What is to be sent, the object if it is as it should be already, or undefined if it can't be made so. */
type Plan<T> = (object: T) => object[] | T | undefined;

async function untilAgreed<T extends KubernetesObject>(
  tools: WritingTools,
  type: ResourceType<T>,
  seen: T,
  signal: AbortSignal | undefined,
  plan: Plan<T>,
): Promise<T | undefined> {
  const { uid } = seen.metadata;
  let object: T | undefined = seen;
  // One of the same name that was made anew is another object.
  for (let tries = 1; object && object.metadata.uid === uid; tries++) {
    const planned: ReturnType<Plan<T>> = plan(object);
    if (!Array.isArray(planned)) return planned;
    try {
      return await send(tools, type, object, planned, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isOutdated(error) || tries === TRIES) throw error;
    }
    object = await tools.read(type, seen.metadata, signal);
  }
  return undefined;
}

async function send<T extends KubernetesObject>(
  { client, fieldManager, observed }: WritingTools,
  type: ResourceType<T>,
  { metadata }: T,
  operations: object[],
  signal: AbortSignal | undefined,
): Promise<T> {
  const patch = [{ op: 'test', path: '/metadata/uid', value: metadata.uid }, ...operations];
  return observed(type, await client.patch(type, metadata, patch, { type: 'json', fieldManager, signal }));
}

/** A test of the patch failed (the server calls that invalid), or somebody wrote while the server did. */
function isOutdated(error: unknown): boolean {
  return isConflict(error) || hasCode(error, 'KUR_CLIENT_INVALID');
}
