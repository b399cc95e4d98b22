import type { Deployment, StatefulSet } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import { observeWorkload } from './workload.ts';

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
