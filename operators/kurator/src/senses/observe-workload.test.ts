import type { Deployment, StatefulSet } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import { observeWorkload } from './observe-workload.ts';

const around = { revisions: [], autoscalers: [], budgets: [] };
const rolloutOf = (workload: unknown) => observeWorkload(workload as Deployment | StatefulSet, around).rollout;

type Counts = Readonly<Record<string, unknown>>;

const deployment = (status: Counts, spec: Counts = {}) => ({
  kind: 'Deployment',
  metadata: { name: 'web', generation: 2 },
  spec: { replicas: 3, template: {}, ...spec },
  status: { observedGeneration: 2, ...status },
});

const statefulSet = (status: Counts, updateStrategy?: Counts) => ({
  kind: 'StatefulSet',
  metadata: { name: 'db', generation: 2 },
  spec: { replicas: 3, template: {}, ...(updateStrategy && { updateStrategy }) },
  status: { observedGeneration: 2, currentRevision: 'db-1', updateRevision: 'db-2', ...status },
});

const condition = (status: string, reason: string) => ({ conditions: [{ type: 'Progressing', status, reason }] });
const partition = (count: number) => ({ type: 'RollingUpdate', rollingUpdate: { partition: count } });

describe('the rollout of a Deployment', () => {
  it.each([
    ['its controller has not seen the newest change', 'progressing', deployment({ observedGeneration: 1 })],
    ['old pods are left, with a surge', 'progressing', deployment({ replicas: 4, updatedReplicas: 3 })],
    ['old pods are left, without one', 'progressing', deployment({ replicas: 2, updatedReplicas: 1 })],
    ['all are new', 'settled', deployment({ replicas: 3, updatedReplicas: 3 })],
    // minReadySeconds: they are there, and count when they have been ready for long enough.
    [
      'all are new and not yet available',
      'settled',
      deployment({ replicas: 3, updatedReplicas: 3, availableReplicas: 0 }),
    ],
    ['pods are missing, for a quota or by an eviction', 'settled', deployment({ replicas: 2, updatedReplicas: 2 })],
    [
      'it is paused half way',
      'settled',
      deployment({ replicas: 4, updatedReplicas: 1, ...condition('Unknown', 'DeploymentPaused') }, { paused: true }),
    ],
    [
      'its progress deadline is exceeded',
      'stalled',
      deployment({ replicas: 4, updatedReplicas: 1, ...condition('False', 'ProgressDeadlineExceeded') }),
    ],
  ])('where %s is %s', (_, rollout, workload) => {
    expect(rolloutOf(workload)).toBe(rollout);
  });
});

describe('the rollout of a StatefulSet', () => {
  it.each([
    ['old pods are left', 'progressing', statefulSet({ replicas: 3, updatedReplicas: 1 })],
    ['it has one revision only', 'settled', statefulSet({ replicas: 3, updateRevision: 'db-1' })],
    ['all are new', 'settled', statefulSet({ replicas: 3, updatedReplicas: 3 })],
    ['pods are replaced on delete only', 'settled', statefulSet({ replicas: 3 }, { type: 'OnDelete' })],
    ['its partition is not reached yet', 'progressing', statefulSet({ replicas: 3, updatedReplicas: 0 }, partition(2))],
    ['its partition is reached', 'settled', statefulSet({ replicas: 3, updatedReplicas: 1 }, partition(2))],
    ['its partition keeps all back', 'settled', statefulSet({ replicas: 3 }, partition(5))],
  ])('where %s is %s', (_, rollout, workload) => {
    expect(rolloutOf(workload)).toBe(rollout);
  });
});

describe('what a rolling update may leave missing', () => {
  const surgeOf = (workload: unknown) => observeWorkload(workload as Deployment | StatefulSet, around).surge;
  const settled = { replicas: 3, updatedReplicas: 3 };
  const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
  });

  it.each([
    ['25 % of three, as the server has it unless told otherwise', 0, deployment(settled)],
    ['25 % of four', 1, deployment({ replicas: 4, updatedReplicas: 4 }, { replicas: 4 })],
    ['none', 0, deployment(settled, rolling(1, 0))],
    ['two', 2, deployment(settled, rolling('10%', 2))],
  ])('is %s', (_, unavailable, workload) => {
    expect(surgeOf(workload)).toEqual({ unavailable });
  });

  it.each([
    ['all are ended first', deployment(settled, { strategy: { type: 'Recreate' } })],
    ['there is to be no more than is desired', deployment(settled, rolling(0, 1))],
    ['there is to be 0 % more than is desired', deployment(settled, rolling('0%', 1))],
    ['nobody is desired', deployment({}, { replicas: 0 })],
    ['somebody has paused it', deployment(settled, { paused: true })],
    ['a rollout is under way', deployment({ replicas: 4, updatedReplicas: 1 })],
    ['a rollout has come to a stop', deployment({ ...settled, ...condition('False', 'ProgressDeadlineExceeded') })],
    ['two of one name must not run', statefulSet(settled, { type: 'RollingUpdate' })],
  ])('is not asked for where %s', (_, workload) => {
    expect(surgeOf(workload)).toBeUndefined();
  });
});
