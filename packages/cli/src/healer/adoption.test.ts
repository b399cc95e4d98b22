import type { Container, Deployment } from '@kurator/client';
import { expect, it } from 'vitest';
import { adoption } from './adoption.ts';

const deployment = (container: Partial<Container>, metadata: object = {}): Deployment =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: { selector: {}, template: { spec: { containers: [{ name: 'main', ...container }] } } },
  }) as Deployment;

const checksOf = (container: Partial<Container>) => adoption('Deployment', deployment(container)).manifest.spec.checks;

it('asks as the readiness probe does, and as often', () => {
  const httpGet = {
    path: 'healthz',
    port: 'http',
    scheme: 'HTTPS' as const,
    httpHeaders: [{ name: 'Host', value: 'web' }],
  };
  const { manifest, notes } = adoption('Deployment', deployment({ readinessProbe: { httpGet, periodSeconds: 5 } }));
  expect(manifest).toEqual({
    apiVersion: 'kurator.sh/v1alpha1',
    kind: 'Kurator',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      targetRef: { kind: 'Deployment', name: 'web' },
      checks: [
        {
          name: 'ready',
          http: { port: 'http', path: '/healthz', headers: { Host: 'web' }, tls: { skipVerify: true } },
          period: '5s',
          timeout: '1s',
          failAfter: 3,
        },
      ],
    },
  });
  expect(notes).toEqual([expect.stringMatching(/readinessProbe of container main; the certificate is not verified/)]);
});

it('takes the liveness probe too, unless it asks the same', () => {
  const tcpSocket = { port: 80 };
  expect(checksOf({ readinessProbe: { tcpSocket }, livenessProbe: { tcpSocket, failureThreshold: 9 } })).toHaveLength(
    1,
  );
  const grpc = { port: 50, service: 'a' };
  expect(checksOf({ readinessProbe: { tcpSocket }, livenessProbe: { grpc } })).toMatchObject([
    { name: 'ready', tcp: { port: 80 } },
    { name: 'live', grpc },
  ]);
});

it('tries the first port where there is no probe, and nothing where there is neither', () => {
  const ports = [
    { containerPort: 53, protocol: 'UDP' as const },
    { containerPort: 8080, name: 'http' },
  ];
  expect(checksOf({ ports })).toEqual([{ name: 'port', tcp: { port: 'http' } }]);
  expect(checksOf({})).toEqual([]);
});

it('says that a command needs a role, and how long a start may take', () => {
  const { manifest, notes } = adoption(
    'Deployment',
    deployment({
      livenessProbe: { exec: { command: ['true'] } },
      startupProbe: { tcpSocket: { port: 1 }, failureThreshold: 30, periodSeconds: 10 },
    }),
  );
  expect(manifest.spec).toMatchObject({
    checks: [{ exec: { command: ['true'], container: 'main' } }],
    startupGrace: '300s',
  });
  expect(notes.join('\n')).toMatch(/optional role exec[\s\S]*startupGrace: 300 s/);
});

it.each([
  ['Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/web' } }],
  ['Flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop' } }],
])('asks before a roll-back that %s would undo', (who, metadata) => {
  const { manifest, notes } = adoption('Deployment', deployment({}, metadata));
  expect(manifest.spec.recovery).toEqual({ steps: { rollback: { approval: true } } });
  expect(notes.join()).toContain(who);
});
