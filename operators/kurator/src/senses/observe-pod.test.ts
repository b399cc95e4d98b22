import type { Pod } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import { observeInstance } from './observe-pod.ts';

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

const pull = (why: string) =>
  `Back-off pulling image "shop/web:2": ErrImagePull: failed to pull and unpack image: ${why}`;

it.each([
  ['InvalidImageName', 'couldn’t parse image reference "SHOP"', true],
  ['ErrImageNeverPull', 'Container image "web" is not present with pull policy of Never', true],
  ['ErrImagePull', 'rpc error: code = NotFound desc = docker.io/shop/web:2: not found', true],
  ['ImagePullBackOff', pull('pull access denied, repository does not exist or may require authorization'), true],
  ['ImagePullBackOff', pull('unexpected status from HEAD request: 401 Unauthorized'), true],
  ['ErrImagePull', 'dial tcp 10.0.0.9:5000: connect: connection refused', undefined],
  ['ErrImagePull', 'dial tcp: lookup registry.example: no such host', undefined],
  ['ImagePullBackOff', pull('net/http: TLS handshake timeout'), undefined],
  ['ImagePullBackOff', pull('unexpected status from HEAD request: 503 Service Unavailable'), undefined],
  ['ImagePullBackOff', pull('failed to authorize: failed to fetch token: 502 Bad Gateway: denied'), undefined],
  ['ImagePullBackOff', 'Back-off pulling image "shop/web:2"', undefined],
  ['CrashLoopBackOff', 'not found', undefined],
])('a container that waits with %s (%s): its image is at fault: %s', (reason, message, expected) => {
  const waiting = { reason, message };
  const containerStatuses = [{ name: 'main', image: 'shop/web:2', restartCount: 0, state: { waiting } }];
  const { containers } = observeInstance({ ...pod('False', 'False'), status: { containerStatuses } } as unknown as Pod);
  expect(containers[0]?.isImageAtFault).toBe(expected);
});
