// The provisioner against a real API server. No scheduler, controller manager or node runs: the test plays their part,
// and volumes are plain folders. On real nodes it is tried in e2e/.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  Event,
  PersistentVolume,
  PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  StorageClass,
  waitFor,
  waitUntilGone,
} from '@kurator/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiskVolumeHost } from '../src/addons/volumes/disk-volume-host.ts';
import { startVolumeProvisioner } from '../src/addons/volumes/provisioner.ts';
import type { VolumeHost } from '../src/addons/volumes/volume-host.ts';
import { TestenvError } from '../src/error.ts';
import { until } from '../src/internal/until.ts';
import { sharedClient, testNamespace } from '../src/shared-control-plane.ts';

let client: Client;
let namespace: string;
let folder: string;
let host: VolumeHost;

beforeEach(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'volumes');
  folder = await mkdtemp(join(tmpdir(), 'volumes-'));
  host = createDiskVolumeHost({
    node: namespace,
    folder,
    nodeFolder: '/on/the/node',
    enter: async (command) => {
      if (command === 'mount') throw new Error('not here');
      return { stdout: '', stderr: '' };
    },
  });
});
afterEach(async () => {
  await client.close();
  await rm(folder, { recursive: true });
});

/** A claim as it is once the scheduler has chosen a node for its pod; the node is called like the test's namespace. */
async function claim(name: string, spec: PersistentVolumeClaimSpec = {}, node = namespace) {
  return await client.create(PersistentVolumeClaim, {
    metadata: { name, namespace, annotations: { 'volume.kubernetes.io/selected-node': node } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '10Mi' } },
      storageClassName: 'standard',
      ...spec,
    },
  });
}

const volumeOf = ({ metadata }: PersistentVolumeClaim) => ({ name: `pvc-${metadata.uid}` });
const exists = async (given: PersistentVolumeClaim) =>
  await waitFor(client, PersistentVolume, volumeOf(given), () => true, { timeout: 10_000 });

async function eventOn(name: string, reason: string) {
  return await until(`event ${reason} on ${name}`, async () => {
    const { items } = await client.list(Event, { namespace, fieldSelector: `involvedObject.name=${name}` });
    return items.find((event) => event.reason === reason);
  });
}

/** What the controller manager does after the claim is deleted. */
async function release(ref: { name: string }) {
  await client.patch(PersistentVolume, ref, { status: { phase: 'Released' } }, { subresource: 'status' });
}

/** What the controller manager does after a volume that nobody uses is deleted. */
async function unprotect(ref: { name: string }) {
  await waitFor(client, PersistentVolume, ref, ({ metadata }) => metadata.deletionTimestamp !== undefined);
  await client.patch(PersistentVolume, ref, { metadata: { finalizers: null } });
}

it('is the default storage class', async () => {
  await using _ = await startVolumeProvisioner({ client, hosts: [host] });
  const standard = await client.get(StorageClass, { name: 'standard' });
  expect(standard).toMatchObject({ provisioner: 'kurator.dev/local', volumeBindingMode: 'WaitForFirstConsumer' });
  const { spec } = await client.create(
    PersistentVolumeClaim,
    {
      metadata: { name: 'plain', namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    { dryRun: true },
  );
  expect(spec?.storageClassName).toBe('standard');
});

describe('a claim', () => {
  it('gets a volume on its node, which goes with its data once the claim is gone', async () => {
    await using _ = await startVolumeProvisioner({ client, hosts: [host] });
    const given = await claim('data');
    const volume = await exists(given);
    expect(volume.spec).toMatchObject({
      capacity: { storage: '10Mi' },
      claimRef: { name: 'data', namespace, uid: given.metadata.uid },
      local: { path: `/on/the/node/${volume.metadata.name}` },
    });
    expect(await readdir(folder)).toEqual([volume.metadata.name]);
    await eventOn('data', 'ProvisioningSucceeded');

    await release(volumeOf(given));
    await unprotect(volumeOf(given));
    await waitUntilGone(client, PersistentVolume, volumeOf(given));
    expect(await readdir(folder)).toEqual([]);
  });

  it('that was made before the provisioner started is served', async () => {
    const given = await claim('early');
    await using _ = await startVolumeProvisioner({ client, hosts: [host] });
    await exists(given);
  });

  it('keeps its data when a person deletes a volume that is to be retained', async () => {
    await using _ = await startVolumeProvisioner({ client, hosts: [host] });
    const given = await claim('kept');
    await exists(given);
    await client.patch(PersistentVolume, volumeOf(given), { spec: { persistentVolumeReclaimPolicy: 'Retain' } });
    await client.delete(PersistentVolume, volumeOf(given));
    await client.patch(PersistentVolume, volumeOf(given), { metadata: { finalizers: ['kurator.dev/local-volume'] } });
    await waitUntilGone(client, PersistentVolume, volumeOf(given));
    expect(await readdir(folder)).toEqual([volumeOf(given).name]);
  });

  it.each<[string, PersistentVolumeClaimSpec, RegExp]>([
    ['for several nodes', { accessModes: ['ReadWriteMany'] }, /use ReadWriteOnce/],
    ['for a bare device', { volumeMode: 'Block' }, /use Filesystem/],
    ['of absurd size', { resources: { requests: { storage: '7Ei' } } }, /the disk has \d+ MiB free: ask for less/],
  ])('%s is told why it gets none', async (_name, spec, message) => {
    await using _ = await startVolumeProvisioner({ client, hosts: [host] });
    const given = await claim('bad', spec);
    const event = await eventOn('bad', 'ProvisioningFailed');
    expect(event).toMatchObject({ type: 'Warning', message: expect.stringMatching(message) });
    expect(await client.find(PersistentVolume, volumeOf(given))).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });

  it('on a node that is off is given back to the scheduler', async () => {
    const off: VolumeHost = {
      ...host,
      create: async () => {
        throw new TestenvError('KUR_TESTENV_MACHINE_OFF', 'the machine is powered off');
      },
    };
    await using _ = await startVolumeProvisioner({ client, hosts: [off] });
    const given = await claim('unlucky');
    const isFree = ({ metadata }: PersistentVolumeClaim) =>
      !metadata.annotations?.['volume.kubernetes.io/selected-node'];
    await waitFor(client, PersistentVolumeClaim, { name: 'unlucky', namespace }, isFree, { timeout: 10_000 });
    expect(await eventOn('unlucky', 'ProvisioningFailed')).toMatchObject({ message: 'the machine is powered off' });
    expect(await client.find(PersistentVolume, volumeOf(given))).toBeUndefined();
  });
});

describe('after a crash', () => {
  it('between making the volume and telling the API server, the next run goes on with it', async () => {
    const given = await claim('half');
    await host.create({ ...volumeOf(given), bytes: 1n });
    await using _ = await startVolumeProvisioner({ client, hosts: [host] });
    await exists(given);
    expect(await readdir(folder)).toEqual([volumeOf(given).name]);
  });

  it('a volume that was begun for a claim that is now gone is removed', async () => {
    await host.create({ name: 'pvc-of-nobody', bytes: 1n });
    await using _ = await startVolumeProvisioner({ client, hosts: [host] });
    expect(await readdir(folder)).toEqual([]);
  });

  it('between deleting the data and letting go of the volume, the next run goes on', async () => {
    const given = await claim('gone');
    {
      await using _ = await startVolumeProvisioner({ client, hosts: [host] });
      await exists(given);
    }
    await host.remove(volumeOf(given).name);
    await release(volumeOf(given));
    await using _ = await startVolumeProvisioner({ client, hosts: [host] });
    await unprotect(volumeOf(given));
    await waitUntilGone(client, PersistentVolume, volumeOf(given));
  });

  it('or a passing failure at any step, it is tried again', async () => {
    let failures = 2;
    const flaky: VolumeHost = {
      ...host,
      create: async (volume) => {
        const path = await host.create(volume);
        failures -= 1;
        if (failures >= 0) throw new Error('the answer got lost');
        return path;
      },
    };
    await using _ = await startVolumeProvisioner({ client, hosts: [flaky] });
    await exists(await claim('flaky'));
    expect(failures).toBe(-1);
  });
});
