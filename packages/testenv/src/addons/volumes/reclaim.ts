/** Takes volumes back, in steps that can each be done again. */
import { type Client, isNotFound, PersistentVolume, PersistentVolumeClaim } from '@kurator/client';
import { type VolumePlan, volumeFinalizer, volumeName } from './claim.ts';
import { fieldManager } from './storage-class.ts';
import type { VolumeHost } from './volume-host.ts';

type Hosts = ReadonlyMap<string, VolumeHost>;

/** Deletes a volume's data where that is the plan, then its PersistentVolume. */
export async function reclaimVolume(
  client: Client,
  hosts: Hosts,
  volume: PersistentVolume,
  plan: VolumePlan,
): Promise<void> {
  const { name, resourceVersion, uid, finalizers = [], deletionTimestamp } = volume.metadata;
  if (plan.action === 'reclaim') await hosts.get(plan.node)?.remove(name);
  const remaining = finalizers.filter((finalizer) => finalizer !== volumeFinalizer);
  try {
    if (remaining.length < finalizers.length) {
      const patch = { metadata: { resourceVersion, finalizers: remaining } };
      await client.patch(PersistentVolume, { name }, patch, { fieldManager });
    }
    if (!deletionTimestamp) await client.delete(PersistentVolume, { name }, uid ? { preconditions: { uid } } : {});
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Removes volumes that were begun for a claim that is now gone, and that never got a PersistentVolume. */
export async function removeOrphans(client: Client, hosts: Hosts): Promise<void> {
  const [claims, volumes] = await Promise.all([client.list(PersistentVolumeClaim), client.list(PersistentVolume)]);
  const known = new Set([...claims.items.map(volumeName), ...volumes.items.map((volume) => volume.metadata.name)]);
  for (const host of hosts.values()) {
    const orphans = (await host.list()).filter((name) => !known.has(name));
    for (const name of orphans) await host.remove(name);
  }
}
