import { ConfigMap, Deployment, PersistentVolumeClaim, resourceType, Secret, StatefulSet } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { HorizontalPodAutoscaler } from '@kurator/client/autoscaling/v2';
import { describe, expect, it } from 'vitest';
import { holdsData } from './declared-kinds.ts';

describe('a kind that holds data', () => {
  it.each([
    PersistentVolumeClaim,
    Secret,
    StatefulSet,
    CustomResourceDefinition,
    resourceType('example.com/v1', 'Database'),
    // Its group looks like one of Kubernetes' own, and is not.
    resourceType('snapshot.storage.k8s.io/v1', 'VolumeSnapshot'),
  ])('is $kind of $apiVersion', (type) => {
    expect(holdsData(type)).toBe(true);
  });

  it.each([ConfigMap, Deployment, HorizontalPodAutoscaler])('is not $kind of $apiVersion', (type) => {
    expect(holdsData(type)).toBe(false);
  });
});
