/** Grants one claim its volume, in steps that can each be done again. */
import {
  type Client,
  isAlreadyExists,
  type Manifest,
  PersistentVolume,
  PersistentVolumeClaim,
  type StorageClass,
} from '@kurator/client';
import { messageOf, TestenvError } from '../../error.ts';
import { type ClaimPlan, selectedNodeAnnotation, volumeFor } from './claim.ts';
import { recordClaimEvent } from './claim-events.ts';
import { fieldManager } from './storage-class.ts';
import type { VolumeHost, VolumeRequest } from './volume-host.ts';

/** Everything that a grant needs to know. */
export interface Grant {
  client: Client;
  hosts: ReadonlyMap<string, VolumeHost>;
  claim: PersistentVolumeClaim;
  storageClass: StorageClass;
  plan: ClaimPlan & { action: 'provision' };
}

/** Makes the volume on its node, then the PersistentVolume; says on the claim how it went. */
export async function grantClaim({ client, hosts, claim, storageClass, plan }: Grant): Promise<void> {
  const { node, volume } = plan;
  try {
    const path = await makeVolume(hosts.get(node), node, volume);
    await createOnce(client, volumeFor({ claim, storageClass, node, path }));
  } catch (error) {
    await reportFailure(client, claim, error);
    throw error;
  }
  const message = `Successfully provisioned volume ${volume.name} on node ${node}`;
  await recordClaimEvent(client, claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message });
}

async function makeVolume(host: VolumeHost | undefined, node: string, volume: VolumeRequest): Promise<string> {
  if (!host) {
    throw new TestenvError('KUR_TESTENV_VOLUME_NODE', `node ${node} is not one that can have local volumes`);
  }
  const free = await host.freeBytes();
  if (volume.bytes > free) {
    throw new TestenvError(
      'KUR_TESTENV_VOLUME_SIZE',
      `the claim asks for ${mebibytes(volume.bytes)}, and the disk has ${mebibytes(free)} free: ask for less, or free some space`,
    );
  }
  return await host.create(volume);
}

const mebibytes = (bytes: bigint) => `${bytes / (1024n * 1024n)} MiB`;

async function createOnce(client: Client, volume: Manifest<PersistentVolume>): Promise<void> {
  try {
    await client.create(PersistentVolume, volume, { fieldManager });
  } catch (error) {
    // The name has the claim's unique id in it: it can only be from an earlier try of ours.
    if (!isAlreadyExists(error)) throw error;
  }
}

async function reportFailure(client: Client, claim: PersistentVolumeClaim, error: unknown): Promise<void> {
  const message = messageOf(error);
  await recordClaimEvent(client, claim, { type: 'Warning', reason: 'ProvisioningFailed', message });
  if (!(error instanceof TestenvError) || error.code !== 'KUR_TESTENV_MACHINE_OFF') return;
  // Without the annotation, the scheduler chooses again: a node that is alive.
  const { name, namespace } = claim.metadata;
  const patch = { metadata: { annotations: { [selectedNodeAnnotation]: null } } };
  await client.patch(PersistentVolumeClaim, { name, namespace }, patch, { fieldManager });
}
