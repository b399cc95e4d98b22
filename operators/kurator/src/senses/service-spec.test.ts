import { describe, expect, it } from 'vitest';
import type { Kurator } from '../resources/kurator.ts';
import { serviceSpecOf } from './service-spec.ts';

const http = { port: 'main', path: '/healthz', method: 'GET', redirects: 0, statuses: ['200-399'] };
const check = {
  name: 'health',
  http,
  through: 'instance',
  period: '10s',
  timeout: '2s',
  failAfter: 3,
  recoverAfter: 2,
};
const present = { desired: 3, stateful: false, workload: 'Deployment/web', mode: 'On' as const, now: 0 };

function specOf(spec: object, more: object = {}) {
  const fields = { checks: [check], startupGrace: '30s', dependsOn: [], maintenance: [], packetLoss: true, ...spec };
  return serviceSpecOf({ metadata: { name: 'web', namespace: 'default' }, spec: fields } as unknown as Kurator, {
    ...present,
    ...more,
  });
}

const definitionOf = (change: object, more?: object) =>
  specOf({ checks: [{ ...check, ...change }] }, more).checks[0]?.definition;

describe('the definition of a check', () => {
  it.each([
    ['its path', { http: { ...http, path: '/helthz' } }],
    ['its port', { http: { ...http, port: 'other' } }],
    ['what it expects', { http: { ...http, bodyContains: 'well' } }],
    ['its timeout', { timeout: '1s' }],
    ['whom it asks', { through: 'service' }],
  ])('is another one with %s', (_, change) => {
    expect(definitionOf(change)).not.toBe(definitionOf({}));
  });

  it('is another one for another workload', () => {
    expect(definitionOf({}, { workload: 'Deployment/other' })).not.toBe(definitionOf({}));
  });

  it('stays the same with how often it runs, and how many results it takes', () => {
    expect(definitionOf({ period: '20s', failAfter: 5, recoverAfter: 1 })).toBe(definitionOf({}));
  });
});

describe('recovery', () => {
  it('is as given, and by default where it is not', () => {
    expect(specOf({}).recovery).toMatchObject({ patience: 900_000, restartHealthy: false });
    const given = { patience: '1m', restartHealthy: true };
    expect(specOf({ recovery: given }).recovery).toMatchObject({ patience: 60_000, restartHealthy: true });
  });
});
