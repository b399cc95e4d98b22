import { ConfigMap, Namespace, resourceType } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { managedByLabel } from './declaration.ts';
import { controllerReference, refuseForeignChild, refuseRemoteOwner } from './owner.ts';

const Echo = resourceType('example.com/v1', 'Echo');
const echo = { ...Echo, metadata: { name: 'e', namespace: 'n', uid: 'u1' } };
const clusterEcho = { apiVersion: 'example.com/v1', kind: 'ClusterEcho', metadata: { name: 'ce', uid: 'u2' } };
const child = (namespace?: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', ...(namespace ? { namespace } : {}) },
});

describe('owners', () => {
  it('are referred to as the controller, which waits for its children', () => {
    expect(controllerReference(echo)).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Echo',
      name: 'e',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  it('must be known to the server', () => {
    expect(() => controllerReference({ ...echo, metadata: { name: 'e' } })).toThrow(
      expect.objectContaining({ code: 'KUR_RUNTIME_OWNER_WITHOUT_UID' }),
    );
  });

  it('may own in their own namespace, and anywhere if they belong to the whole cluster', () => {
    refuseRemoteOwner(echo, ConfigMap, child('n'));
    refuseRemoteOwner(clusterEcho, ConfigMap, child('n'));
    refuseRemoteOwner(clusterEcho, Namespace, child());
  });

  it('may not own elsewhere, which is said clearly', () => {
    expect(() => refuseRemoteOwner(echo, ConfigMap, child('other'))).toThrow(
      expect.objectContaining({
        code: 'KUR_RUNTIME_OWNER_ELSEWHERE',
        message: "Echo n/e can't own ConfigMap c in namespace other: Kubernetes would delete it at once",
        remedy: expect.stringContaining('finalizer'),
      }),
    );
    expect(() => refuseRemoteOwner(echo, Namespace, child())).toThrow('of the whole cluster');
  });

  it('may not take children from each other', () => {
    const reference = controllerReference(clusterEcho);
    const theirs = { ...child('n'), metadata: { name: 'c', namespace: 'n', ownerReferences: [reference] } };
    expect(() => refuseForeignChild(echo, theirs, 'echo')).toThrow(
      expect.objectContaining({
        code: 'KUR_RUNTIME_FOREIGN_CHILD',
        message: "ConfigMap n/c is controlled by ClusterEcho ce, so Echo n/e can't have it",
      }),
    );
    expect(() => refuseForeignChild(echo, theirs, 'echo', true)).toThrow();
    refuseForeignChild(clusterEcho, theirs, 'echo');
  });

  it('may take over what they have made, or are told to adopt, and nothing else', () => {
    const made = (by: string) => ({
      ...child('n'),
      metadata: { ...child('n').metadata, labels: { [managedByLabel]: by } },
    });
    refuseForeignChild(echo, made('echo'), 'echo');
    refuseForeignChild(echo, child('n'), 'echo', true);
    refuseForeignChild(echo, made('helm'), 'echo', ({ metadata }) => metadata.labels?.[managedByLabel] === 'helm');
    for (const strangers of [child('n'), made('helm')]) {
      expect(() => refuseForeignChild(echo, strangers, 'echo', () => false)).toThrow(
        expect.objectContaining({
          code: 'KUR_RUNTIME_FOREIGN_CHILD',
          message: 'ConfigMap n/c is there already, and was not made for Echo n/e, so it is left alone',
          remedy: expect.stringContaining('adopt: true'),
        }),
      );
    }
  });
});
