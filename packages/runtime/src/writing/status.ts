import { hasCode, isConflict, isNotFound, type KubernetesObject, type ResourceType } from '@kurator/client';
import type { JsonObject } from './json.ts';
import { type Operation, statusOperations } from './status-operations.ts';
import type { WritingTools } from './writing-tools.ts';

const TRIES = 5;

/**
 * Makes the status what is given; see {@link Writer.writeStatus}. The patch says what it was made from (which object,
 * whose conditions) and no more: a change of anything else, such as the spec, is no reason to fail.
 */
export async function writeStatus<T extends KubernetesObject>(
  tools: WritingTools,
  type: ResourceType<T>,
  object: T,
  status: object,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  const { uid, generation } = object.metadata;
  let live: T | undefined = tools.cacheOf(type)?.get(object.metadata) ?? object;
  for (let tries = 1; live && live.metadata.uid === uid; tries++) {
    const operations = statusOperations(statusOf(live), status as JsonObject, generation, tools.clock.date());
    if (operations.length === 0) {
      tools.counts.spared++;
      return live;
    }
    try {
      return await send(tools, type, live, operations, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isOutdated(error) || tries === TRIES) throw error;
    }
    live = await tools.read(type, object.metadata, signal);
  }
  return undefined;
}

async function send<T extends KubernetesObject>(
  { client, fieldManager, observed }: WritingTools,
  type: ResourceType<T>,
  { metadata }: T,
  operations: readonly Operation[],
  signal: AbortSignal | undefined,
): Promise<T> {
  const patch = [{ op: 'test', path: '/metadata/uid', value: metadata.uid }, ...operations];
  const options = { type: 'json', subresource: 'status', fieldManager, signal } as const;
  return observed(type, await client.patch(type, metadata, patch, options));
}

/** The server calls a patch whose test fails invalid, and names no field; a status that is wrong has its fields named. */
function isOutdated(error: unknown): boolean {
  return isConflict(error) || (hasCode(error, 'KUR_CLIENT_INVALID') && error.causes.length === 0);
}

function statusOf(object: KubernetesObject): JsonObject | undefined {
  return (object as KubernetesObject & { status?: JsonObject }).status;
}
