import type { Pod } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import { observeInstance } from './instance.ts';

const second = '2026-01-01T00:00:01Z';
const minute = '2026-01-01T00:01:00Z';

function pod(ready: string, containersReady: string, spec: Pod['spec'] = { containers: [] }): Pod {
  const conditions = [
    { type: 'Ready', status: ready, lastTransitionTime: minute },
    { type: 'ContainersReady', status: containersReady, lastTransitionTime: second },
  ];
  return { metadata: { name: 'web-0', namespace: 'default' }, spec, status: { conditions } } as unknown as Pod;
}

describe('whether an instance is ready', () => {
  it.each([
    ['as it says', pod('True', 'True'), true, minute],
    ['not while its containers are not', pod('False', 'False'), false, minute],
    ['whatever was said for it while its node was silent', pod('False', 'True'), true, second],
    [
      'not while somebody whom it has asked for it says no',
      pod('False', 'True', { containers: [], readinessGates: [{ conditionType: 'example.com/in-rotation' }] }),
      false,
      minute,
    ],
  ])('%s', (_, object, ready, since) => {
    expect(observeInstance(object)).toMatchObject({ ready, readySince: Date.parse(since) });
  });

  it('is not known when nobody knows', () => {
    expect(observeInstance(pod('Unknown', 'Unknown')).ready).toBeUndefined();
  });
});

it.each([
  ['registry.example:5000/shop/web:1', 'ErrImagePull', 'registry.example:5000'],
  ['localhost/web', 'ImagePullBackOff', 'localhost'],
  ['shop/web:1', 'ImagePullBackOff', 'docker.io'],
  ['web:1.2', 'ImagePullBackOff', 'docker.io'],
  ['registry.example/web', 'CrashLoopBackOff', undefined],
])('a container of %s that waits with %s waits for registry %s', (image, reason, registry) => {
  const containerStatuses = [{ name: 'main', image, restartCount: 0, state: { waiting: { reason } } }];
  const { containers } = observeInstance({ ...pod('False', 'False'), status: { containerStatuses } } as unknown as Pod);
  expect(containers[0]?.registry).toBe(registry);
});
