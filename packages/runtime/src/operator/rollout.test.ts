import type { Deployment, Pod, PodStatus } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { rolloutCondition } from './rollout.ts';

const deployment = (status: Deployment['status'], replicas = 3): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 2 },
  spec: { replicas, selector: {}, template: {} },
  ...(status ? { status } : {}),
});
const done = { observedGeneration: 2, replicas: 3, readyReplicas: 3, updatedReplicas: 3 };
const pod = (status: PodStatus, metadata = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', ...metadata },
  status,
});
const waiting = (reason: string, message?: string) => ({
  name: 'app',
  image: 'web:2',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { waiting: { reason, ...(message ? { message } : {}) } },
});

describe('the condition of a rollout', () => {
  it('is True when all replicas are ready in their latest form', () => {
    expect(rolloutCondition(deployment(done), [])).toEqual({
      type: 'Ready',
      status: 'True',
      reason: 'AllReplicasReady',
      message: '3 of 3 replicas are ready',
    });
    expect(rolloutCondition(deployment({ observedGeneration: 2 }, 0), [], 'Up')).toMatchObject({
      type: 'Up',
      status: 'True',
    });
  });

  it.each([
    ['nobody has looked at it', undefined, '0 of 3'],
    ['its last change was not seen yet', { ...done, observedGeneration: 1 }, '3 of 3'],
    ['a replica is missing', { ...done, readyReplicas: 2 }, '2 of 3'],
    ['one is of the old form', { ...done, updatedReplicas: 2 }, '3 of 3'],
    ['one of the old form is still there', { ...done, replicas: 4 }, '3 of 3'],
  ])('is False while %s', (_, status, count) => {
    const message = `${count} replicas are ready`;
    expect(rolloutCondition(deployment(status), [])).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'RollingOut',
      message,
    });
  });

  it.each([
    ['ErrImagePull', 'ImagePullBackOff', "image web:2 can't be pulled"],
    ['ImagePullBackOff', 'ImagePullBackOff', "image web:2 can't be pulled"],
    ['InvalidImageName', 'InvalidImageName', '"web:2" is no name of an image'],
    ['CrashLoopBackOff', 'CrashLoopBackOff', 'container app ends again and again'],
  ])('tells of a pod that waits with %s, in words that stay the same', (waits, reason, message) => {
    const pods = [pod({ containerStatuses: [waiting(waits, `${Math.random()}`)] })];
    expect(rolloutCondition(deployment({ ...done, readyReplicas: 2 }), pods)).toEqual({
      type: 'Ready',
      status: 'False',
      reason,
      message: `2 of 3 replicas are ready; pod web-1: ${message}`,
    });
  });

  it('tells what a container lacks, and what keeps a pod from any node', () => {
    const lacks = pod({ initContainerStatuses: [waiting('CreateContainerConfigError', 'no secret "key"')] });
    expect(rolloutCondition(deployment(done), [lacks]).message).toContain('container app: no secret "key"');
    const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' } as const;
    const { reason, message } = rolloutCondition(deployment(done), [pod({ conditions: [scheduled] })]);
    expect([reason, message]).toEqual(['Unschedulable', '3 of 3 replicas are ready; pod web-1: 0/3 nodes']);
  });

  it('says nothing of pods that go, or only start', () => {
    const pods = [
      pod({ containerStatuses: [waiting('ImagePullBackOff')] }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      pod({ containerStatuses: [waiting('ContainerCreating')] }),
    ];
    expect(rolloutCondition(deployment(done), pods).status).toBe('True');
  });

  it('tells what the workload itself says last', () => {
    const failure = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message: 'exceeded quota',
    } as const;
    expect(rolloutCondition(deployment({ conditions: [failure] }), [])).toMatchObject({ reason: 'FailedCreate' });
    const late = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'late' } as const;
    expect(rolloutCondition(deployment({ conditions: [late] }), [])).toMatchObject({
      reason: 'ProgressDeadlineExceeded',
    });
  });
});
