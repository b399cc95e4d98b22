import { setTimeout } from 'node:timers/promises';
import type { Client } from './client.ts';
import { ClientError } from './error.ts';
import type { KubernetesObject } from './object.ts';
import type { RequestOptions } from './options.ts';
import { describeObject, type ObjectReference, type ResourceType } from './resource-type.ts';

/** Options of `waitFor` and `waitUntilGone`; `timeout` is for all of the waiting, 60 s unless given. */
export interface WaitOptions extends RequestOptions {
  /** What is waited for, in words, for the message when it never comes: `to be Ready`. */
  description?: string;
}

const WAIT_TIMEOUT = 60_000;
const RETRY_DELAY = 250;

/**
 * Waits until an object exists and is as wanted, and returns it. It watches rather than polls, and outlives
 * broken connections; it fails when the time is up, or at once when the server refuses.
 */
export async function waitFor<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  ref: ObjectReference,
  condition: (object: T) => boolean,
  options: WaitOptions = {},
): Promise<T> {
  const description = options.description ?? 'to be as wanted';
  const found = await settle(client, type, ref, (object) => object !== undefined && condition(object), {
    ...options,
    description,
  });
  return found as T;
}

/** Waits until an object is no longer there. */
export async function waitUntilGone<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  ref: ObjectReference,
  options: WaitOptions = {},
): Promise<void> {
  await settle(client, type, ref, (object) => object === undefined, { description: 'to be gone', ...options });
}

async function settle<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  ref: ObjectReference,
  settled: (object: T | undefined) => boolean,
  options: WaitOptions & { description: string },
): Promise<T | undefined> {
  const { timeout = WAIT_TIMEOUT, signal, description } = options;
  const clock = AbortSignal.timeout(timeout);
  const either = signal ? AbortSignal.any([signal, clock]) : clock;
  const seen = { last: 'it could not be read' };
  try {
    return await firstSettled(client, type, ref, settled, either, seen);
  } catch (error) {
    if (signal?.aborted || !clock.aborted) throw error;
    throw inVain(`waited ${timeout / 1000} s for ${describeObject(type, ref)} ${description}: ${seen.last}`, error);
  }
}

function inVain(message: string, cause: unknown): ClientError {
  return new ClientError('KUR_CLIENT_TIMEOUT', message, { cause });
}

async function firstSettled<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  ref: ObjectReference,
  settled: (object: T | undefined) => boolean,
  signal: AbortSignal,
  seen: { last: string },
): Promise<T | undefined> {
  for (;;) {
    for await (const object of states(client, type, ref, signal)) {
      seen.last = object ? 'it exists' : 'it does not exist';
      if (settled(object)) return object;
    }
  }
}

/** What the object is now, and then each time it changes, until the connection ends; undefined where it doesn't exist. */
async function* states<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  { name, namespace }: ObjectReference,
  signal: AbortSignal,
): AsyncGenerator<T | undefined, void, undefined> {
  const selection = { namespace, fieldSelector: `metadata.name=${name}`, signal };
  try {
    const { items, metadata } = await client.list(type, selection);
    yield items[0];
    const resourceVersion = metadata.resourceVersion ?? '';
    for await (const event of client.watch(type, { ...selection, resourceVersion })) {
      if (event.type === 'BOOKMARK') continue;
      yield event.type === 'DELETED' ? undefined : event.object;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!mayPass(error)) throw error;
    await pause(RETRY_DELAY, signal);
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false;
  return passing.has(error.code);
}

const passing = new Set<string>([
  'KUR_CLIENT_EXPIRED',
  'KUR_CLIENT_UNREACHABLE',
  'KUR_CLIENT_TIMEOUT',
  'KUR_CLIENT_BAD_RESPONSE',
  'KUR_CLIENT_SERVER',
  'KUR_CLIENT_TOO_MANY_REQUESTS',
]);

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}
