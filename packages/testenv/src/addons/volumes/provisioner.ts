/**
 * Gives claims their local volumes, and takes back volumes whose claims are gone. Level-triggered: a change of any
 * claim or volume, or an earlier failure, causes a look at everything; what isn't as it should be is then mended.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type Client, PersistentVolume, PersistentVolumeClaim, type ResourceType, StorageClass } from '@kurator/client';
import { messageOf } from '../../error.ts';
import { type Reporter, silent } from '../../reporter.ts';
import { createChores } from '../internal/chores.ts';
import { createLooks } from '../internal/looks.ts';
import { planClaim, planVolume, volumeName } from './claim.ts';
import { recordClaimEvent } from './claim-events.ts';
import { grantClaim } from './grant.ts';
import { reclaimVolume, removeOrphans } from './reclaim.ts';
import { applyStorageClass } from './storage-class.ts';
import type { VolumeHost } from './volume-host.ts';

export interface VolumeProvisionerOptions {
  client: Client;
  /** One for each node that can have volumes. */
  hosts: readonly VolumeHost[];
  reporter?: Reporter;
}

/** The provisioner while it runs. */
export interface VolumeProvisioner extends AsyncDisposable {
  /** Begins nothing more, and waits for what is under way. Volumes stay. */
  stop(): Promise<void>;
}

/** Applies the default StorageClass, removes what an earlier run left unfinished, and serves claims until stopped. */
export async function startVolumeProvisioner(options: VolumeProvisionerOptions): Promise<VolumeProvisioner> {
  const { client, reporter = silent } = options;
  const hosts = new Map(options.hosts.map((host) => [host.node, host]));
  const stopping = new AbortController();
  const { signal } = stopping;
  const refused = new Set<string>();
  const look = () => looks.request();
  const failed = (what: string, error: unknown) => {
    if (!signal.aborted) reporter.verbose(`${what} failed: ${messageOf(error)}`);
  };
  const chores = createChores({ wake: look, failed });
  const looks = createLooks({ look: lookAtAll, failed: (error) => failed('looking at volumes', error) });

  async function lookAtAll(): Promise<void> {
    const [classes, claims, volumes] = await Promise.all([
      client.list(StorageClass, { signal }),
      client.list(PersistentVolumeClaim, { signal }),
      client.list(PersistentVolume, { signal }),
    ]);
    const classByName = new Map(classes.items.map((one) => [one.metadata.name, one]));
    const made = new Set(volumes.items.map((volume) => volume.metadata.name));
    for (const claim of claims.items) {
      const storageClass = classByName.get(claim.spec?.storageClassName ?? '');
      if (storageClass && !made.has(volumeName(claim))) serveClaim(claim, storageClass);
    }
    for (const volume of volumes.items) serveVolume(volume);
  }

  function serveClaim(claim: PersistentVolumeClaim, storageClass: StorageClass): void {
    const plan = planClaim(claim, storageClass);
    const key = `volume for claim ${claim.metadata.namespace}/${claim.metadata.name} (${claim.metadata.uid})`;
    if (plan.action === 'provision') {
      chores.begin(key, () => grantClaim({ client, hosts, claim, storageClass, plan }));
    }
    if (plan.action === 'refuse' && !refused.has(key + plan.why)) {
      chores.begin(key, async () => {
        await recordClaimEvent(client, claim, { type: 'Warning', reason: 'ProvisioningFailed', message: plan.why });
        refused.add(key + plan.why);
      });
    }
  }

  function serveVolume(volume: PersistentVolume): void {
    const plan = planVolume(volume);
    if (plan.action === 'keep') return;
    chores.begin(`${plan.action} volume ${volume.metadata.name}`, () => reclaimVolume(client, hosts, volume, plan));
  }

  await applyStorageClass(client);
  await removeOrphans(client, hosts);
  const watching = [PersistentVolumeClaim, PersistentVolume].map((type) =>
    watchChanges(client, type, { changed: look, failed: (error) => failed('watching volumes', error), signal }),
  );

  async function stop(): Promise<void> {
    stopping.abort();
    await Promise.all([...watching, looks.end()]);
    await chores.end();
  }
  return { stop, [Symbol.asyncDispose]: stop };
}

interface ChangesOptions {
  /** Called after something may have changed; often, and also for nothing. */
  changed(): void;
  failed(error: unknown): void;
  signal: AbortSignal;
}

/** Watches all objects of a type until the signal fires, through every interruption; who is called must look for himself. */
async function watchChanges(client: Client, type: ResourceType, options: ChangesOptions): Promise<void> {
  const { changed, failed, signal } = options;
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(type, { signal })) {
        if (event.type !== 'BOOKMARK') changed();
      }
    } catch (error) {
      if (signal.aborted) return;
      failed(error);
      await delay(1_000, undefined, { signal }).catch(() => {});
    }
    // What happened while nobody watched is not reported again.
    changed();
  }
}
