/**
 * Replicas that the spec doesn't give belong to whoever sets them: an autoscaler, or `kubectl scale`. A field that we
 * applied once and apply no more is removed by the server, and replicas would fall to 1: so it is let go of first.
 */

import type { ObjectMeta } from '@kurator/sdk';
import type { Pass } from '../../memory/pass.ts';
import { targetOf } from '../../resources/lookup.ts';
import { fieldManager } from '../../resources/ownership.ts';

type Entry = NonNullable<ObjectMeta['managedFields']>[number];
/** Fields as the server writes them: `{ 'f:spec': { 'f:replicas': {} } }`. */
type OwnedFields = { readonly [name: string]: OwnedFields | undefined };

/** Costs one request for each version of a Kurator, and none where replicas are given. */
export async function leaveReplicas({ kurator, context, memory }: Omit<Pass, 'now'>): Promise<void> {
  const { generation, namespace } = kurator.metadata;
  if (memory.replicasLeftAt === generation) return;
  const { type, name } = targetOf(kurator);
  const { client, signal } = context;
  const live = await client.find(type, { name, namespace }, { signal });
  const { managedFields = [], uid, resourceVersion } = live?.metadata ?? {};
  if (live && managedFields.some(hasReplicas)) {
    const patch = { metadata: { uid, resourceVersion, managedFields: managedFields.map(withoutReplicas) } };
    await client.patch(type, live.metadata, patch, { fieldManager, signal });
  }
  memory.replicasLeftAt = generation;
}

/** Whether it says that we have applied replicas. */
function hasReplicas({ manager, operation, subresource, fieldsV1 }: Entry): boolean {
  const isOurs = manager === fieldManager && operation === 'Apply' && !subresource;
  return isOurs && (fieldsV1 as OwnedFields | undefined)?.['f:spec']?.['f:replicas'] !== undefined;
}

function withoutReplicas(entry: Entry): Entry {
  if (!hasReplicas(entry)) return entry;
  const { 'f:spec': spec, ...rest } = entry.fieldsV1 as OwnedFields;
  const { 'f:replicas': _, ...left } = spec ?? {};
  return { ...entry, fieldsV1: { ...rest, 'f:spec': left } };
}
