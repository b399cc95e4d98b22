/** Tells a claim's owner, by Events, what became of it. */
import { createHash } from 'node:crypto';
import { type Client, Event, isAlreadyExists, type PersistentVolumeClaim } from '@kurator/client';
import { fieldManager, provisionerName } from './storage-class.ts';

/** What happened to a claim. */
export interface ClaimEvent {
  type: 'Normal' | 'Warning';
  reason: 'ProvisioningSucceeded' | 'ProvisioningFailed';
  message: string;
}

/** Records an Event on a claim: one a reason, whose message is the latest and whose count says how often. */
export async function recordClaimEvent(client: Client, claim: PersistentVolumeClaim, event: ClaimEvent): Promise<void> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const place = { name: `${name}.${digest([uid, event.reason])}`, namespace };
  const now = new Date().toISOString().replace(/\.\d+/, '');
  try {
    await client.create(
      Event,
      {
        metadata: { ...place, namespace: namespace ?? '' },
        involvedObject: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          name,
          ...(namespace ? { namespace } : {}),
          ...(uid ? { uid } : {}),
          ...(resourceVersion ? { resourceVersion } : {}),
        },
        ...event,
        count: 1,
        firstTimestamp: now,
        lastTimestamp: now,
        source: { component: provisionerName },
        reportingComponent: provisionerName,
      },
      { fieldManager },
    );
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { count = 1 } = await client.get(Event, place);
    await client.patch(
      Event,
      place,
      { message: event.message, count: count + 1, lastTimestamp: now },
      { fieldManager },
    );
  }
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
