import type { Job, Pod } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import type { Target, Workload } from '../workload.ts';
import { judgeRollout, podsWith } from './rollout.ts';

const target = (kind: Target['kind'], spec: object, status: object = {}): Target =>
  ({
    kind,
    workload: {
      metadata: { name: 'web', generation: 2 },
      spec,
      status: { observedGeneration: 2, ...status },
    } as unknown as Workload,
  }) as Target;
const container = (state: object, restartCount = 0) => ({ name: 'web', restartCount, state });
const pod = (...containerStatuses: object[]): Pod =>
  ({ metadata: { name: 'web-1' }, status: { containerStatuses } }) as unknown as Pod;
const job = (type: string): Job =>
  ({ metadata: { name: 'web-1' }, status: { conditions: [{ type, status: 'True' }] } }) as Job;
const all = (n: number) => ({ replicas: n, updatedReplicas: n, readyReplicas: n, availableReplicas: n });

describe('a rollout', () => {
  it.each([
    [
      'has not been looked at',
      target('Deployment', { replicas: 2 }, { ...all(2), observedGeneration: 1 }),
      'unsettled',
    ],
    ['has old pods left', target('Deployment', { replicas: 2 }, { ...all(2), replicas: 3 }), 'unsettled'],
    ['has too few ready', target('Deployment', { replicas: 2 }, { ...all(2), readyReplicas: 1 }), 'unsettled'],
    [
      'has some ready for too short',
      target('Deployment', { replicas: 2 }, { ...all(2), availableReplicas: 1 }),
      'unsettled',
    ],
    ['has all of them', target('Deployment', { replicas: 2 }, all(2)), 'well'],
    ['wants no pods', target('Deployment', { replicas: 0 }), 'well'],
    [
      'of a StatefulSet is under way',
      target(
        'StatefulSet',
        { replicas: 3 },
        { updatedReplicas: 1, readyReplicas: 3, currentRevision: 'a', updateRevision: 'b' },
      ),
      'unsettled',
    ],
    [
      'of a StatefulSet is over',
      target('StatefulSet', { replicas: 3 }, { readyReplicas: 3, currentRevision: 'b', updateRevision: 'b' }),
      'well',
    ],
    [
      'of a DaemonSet is under way',
      target('DaemonSet', {}, { desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberReady: 2 }),
      'unsettled',
    ],
    [
      'of a DaemonSet is over',
      target('DaemonSet', {}, { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberReady: 2 }),
      'well',
    ],
  ])('that %s', (_, target, is) => {
    expect(judgeRollout(target, [], [])).toMatchObject({ is });
  });

  it.each([
    ['crashes again and again', container({ waiting: { reason: 'CrashLoopBackOff' } }, 2)],
    ['gets no image', container({ waiting: { reason: 'ImagePullBackOff', message: 'not found' } })],
    ['was restarted, and runs', container({ running: {} }, 2)],
  ])('is bad where a pod %s, whatever else it says', (_, status) => {
    expect(judgeRollout(target('Deployment', { replicas: 1 }, all(1)), [pod(status)], [])).toMatchObject({ is: 'ill' });
  });

  it('is not bad for one crash, or for a first pull that failed', () => {
    const statuses = [container({ running: {} }, 1), container({ waiting: { reason: 'ErrImagePull' } })];
    expect(judgeRollout(target('Deployment', { replicas: 1 }, all(1)), [pod(...statuses)], [])).toMatchObject({
      is: 'well',
    });
  });

  it('is bad once its deadline of progress is over', () => {
    const conditions = [
      { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'too long' },
    ];
    const late = target('Deployment', { replicas: 2 }, { ...all(1), conditions });
    expect(judgeRollout(late, [], [])).toEqual({ is: 'ill', why: 'too long' });
  });

  it('of a CronJob is judged by its first job, whenever that comes', () => {
    const cron = target('CronJob', {});
    expect(judgeRollout(cron, [], [])).toMatchObject({ is: 'unsettled', isEarly: true });
    expect(judgeRollout(cron, [], [job('Suspended')])).toEqual({ is: 'unsettled', why: 'its first job runs' });
    expect(judgeRollout(cron, [], [job('Complete')])).toMatchObject({ is: 'well' });
    expect(judgeRollout(cron, [], [job('Complete'), job('Failed')])).toMatchObject({ is: 'ill' });
    expect(judgeRollout(target('CronJob', { suspend: true }), [], [])).toMatchObject({ is: 'well' });
  });
});

it('means pods with the new image that are not about to go', () => {
  const one = (name: string, image: string, metadata = {}) =>
    ({ metadata: { name, ...metadata }, spec: { containers: [{ name: 'web', image }] } }) as Pod;
  const pods = [one('a', 'web:1'), one('b', 'web:2'), one('c', 'web:2', { deletionTimestamp: 'now' })];
  expect(podsWith(pods, 'web', 'web:2').map(({ metadata }) => metadata.name)).toEqual(['b']);
});
