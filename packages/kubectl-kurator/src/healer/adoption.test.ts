import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Container, Deployment } from '@kurator/client';
import { type CheckResult, CheckScheduler } from '@kurator/operator-kurator';
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
          http: { port: 'http', path: '/healthz', host: 'web', tls: { skipVerify: true } },
          period: '5s',
          timeout: '1s',
          failAfter: 3,
        },
      ],
    },
  });
  expect(notes).toEqual([expect.stringMatching(/readinessProbe of container main; the certificate is not verified/)]);
});

it('asks what the checker can ask, and says what it left out', async () => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const httpHeaders = [
    { name: 'host', value: 'shop.example.com:8443' },
    { name: 'Connection', value: 'keep-alive' },
    { name: 'X-Probe', value: 'yes' },
  ];
  const httpGet = { path: '/über all?a=b', port, host: 'elsewhere.example.com', httpHeaders };
  const { manifest, notes } = adoption('Deployment', deployment({ readinessProbe: { httpGet } }));
  const [{ http }] = manifest.spec.checks as [
    { http: { path: string; host: string; headers: Record<string, string> } },
  ];
  const { path, host: hostHeader, headers } = http;
  const probe = { kind: 'http', host: '127.0.0.1', port, path, hostHeader, headers } as const;
  const answered = Promise.withResolvers<CheckResult>();
  const scheduler = new CheckScheduler({ threads: 0, onResult: (result) => void answered.resolve(result) });
  try {
    scheduler.set({ target: 'web', check: 'ready', timeoutMs: 10_000, intervalMs: 60_000, probe });
    scheduler.checkNow({ target: 'web', check: 'ready' });
    expect(await answered.promise).toMatchObject({ outcome: 'healthy' });
  } finally {
    await scheduler.close();
    server.close();
  }
  expect(seen).toMatchObject([
    { url: '/%C3%BCber%20all?a=b', headers: { host: 'shop.example.com:8443', 'x-probe': 'yes' } },
  ]);
  expect(notes.join()).toMatch(/header Connection is left out.*host elsewhere\.example\.com is left out/);
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

const instance = { 'app.kubernetes.io/instance': 'shop' };
const writtenBy = (manager: string) => ({ labels: instance, managedFields: [{ manager, operation: 'Update' }] });

it('takes no label that everybody uses for a mark', () => {
  expect(adoption('Deployment', deployment({}, writtenBy('kubectl'))).manifest.spec.recovery).toBeUndefined();
});

it.each([
  ['Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/web' } }],
  ['Argo CD', writtenBy('argocd-controller')],
  ['Flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop' } }],
  ['Flux', writtenBy('kustomize-controller')],
  ['Flux', writtenBy('helm-controller')],
])('asks before a roll-back that %s would undo', (who, metadata) => {
  const { manifest, notes } = adoption('Deployment', deployment({}, metadata));
  expect(manifest.spec.recovery).toEqual({ steps: { rollback: { approval: true } } });
  expect(notes.join()).toContain(who);
});
