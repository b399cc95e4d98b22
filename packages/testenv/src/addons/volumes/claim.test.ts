import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { planClaim, planVolume, selectedNodeAnnotation, volumeFinalizer, volumeFor } from './claim.ts';

const standard: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard' },
  provisioner: 'kurator.dev/local',
  volumeBindingMode: 'WaitForFirstConsumer',
  reclaimPolicy: 'Delete',
};

function claim(change: { spec?: PersistentVolumeClaim['spec']; metadata?: object } = {}): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: 'data',
      namespace: 'shop',
      uid: 'abc-123',
      annotations: { [selectedNodeAnnotation]: 'n1' },
      ...change.metadata,
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'standard',
      ...change.spec,
    },
  };
}

describe('a claim', () => {
  it('gets its volume on the node that the scheduler chose', () => {
    expect(planClaim(claim(), standard)).toEqual({
      action: 'provision',
      node: 'n1',
      volume: { name: 'pvc-abc-123', bytes: 1024n ** 3n },
    });
  });

  it.each([
    ['of another class', claim(), { ...standard, provisioner: 'example.com/other' }],
    ['of no class', claim(), undefined],
    ['whose node is not chosen yet', claim({ metadata: { annotations: {} } }), standard],
    ['that is bound', claim({ spec: { volumeName: 'pv' } }), standard],
    ['that is being deleted', claim({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), standard],
  ])('%s waits', (_, given, storageClass) => expect(planClaim(given, storageClass)).toEqual({ action: 'wait' }));

  it.each([
    [
      'ReadWriteMany',
      claim({ spec: { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] } }),
      /ReadWriteMany.*use ReadWriteOnce/,
    ],
    ['ReadOnlyMany', claim({ spec: { accessModes: ['ReadOnlyMany'] } }), /ReadOnlyMany.*use ReadWriteOnce/],
    ['a bare device', claim({ spec: { volumeMode: 'Block' } }), /Block.*use Filesystem/],
    ['a selector', claim({ spec: { selector: { matchLabels: { a: 'b' } } } }), /selector.*leave it out/],
    ['a snapshot', claim({ spec: { dataSource: { kind: 'VolumeSnapshot', name: 's' } } }), /begin empty.*dataSource/],
  ])('for %s is refused with the fix', (_, given, why) => {
    expect(planClaim(given, standard)).toEqual({ action: 'refuse', why: expect.stringMatching(why) });
  });

  it('of a class that binds at once is refused with the fix', () => {
    const immediate = { ...standard, volumeBindingMode: 'Immediate' as const };
    expect(planClaim(claim(), immediate)).toMatchObject({ why: expect.stringContaining('WaitForFirstConsumer') });
  });
});

it('a volume is bound to its claim and to its node', () => {
  const volume = volumeFor({ claim: claim(), storageClass: standard, node: 'n1', path: '/var/lib/volumes/x' });
  expect(volume.spec).toMatchObject({
    capacity: { storage: '1Gi' },
    claimRef: { namespace: 'shop', name: 'data', uid: 'abc-123' },
    persistentVolumeReclaimPolicy: 'Delete',
    local: { path: '/var/lib/volumes/x' },
  });
  expect(
    planVolume({
      ...volume,
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      status: { phase: 'Released' },
    } as PersistentVolume),
  ).toEqual({
    action: 'reclaim',
    node: 'n1',
  });
});

describe('a volume', () => {
  const made = volumeFor({ claim: claim(), storageClass: standard, node: 'n1', path: '/p' });
  const volume = (phase: string, metadata: object = {}, spec: object = {}) =>
    ({
      ...made,
      metadata: { ...made.metadata, ...metadata },
      spec: { ...made.spec, ...spec },
      status: { phase },
    }) as PersistentVolume;
  const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [volumeFinalizer] };
  const retain = { persistentVolumeReclaimPolicy: 'Retain' };

  it.each([
    ['that is bound is kept', volume('Bound'), 'keep'],
    ['that is free is kept', volume('Available'), 'keep'],
    ['of someone else is kept', volume('Released', { annotations: {} }), 'keep'],
    ['whose claim is gone is reclaimed', volume('Released'), 'reclaim'],
    ['to be retained is kept', volume('Released', {}, retain), 'keep'],
    ['that someone deleted is reclaimed', volume('Available', deleted), 'reclaim'],
    ['to be retained that someone deleted is let go', volume('Released', deleted, retain), 'let-go'],
    [
      'that someone deleted while it is bound is kept',
      volume('Bound', { ...deleted, finalizers: [volumeFinalizer, 'kubernetes.io/pv-protection'] }),
      'keep',
    ],
  ])('%s', (_, given, action) => expect(planVolume(given)).toMatchObject({ action }));
});
