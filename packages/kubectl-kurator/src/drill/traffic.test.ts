import type { Service } from '@kurator/client';
import { expect, it } from 'vitest';
import { subjectWith } from '../../test/support/drill-subject.ts';
import { urlOf } from './traffic.ts';

const service = (name: string, ...ports: object[]) =>
  ({ metadata: { name, namespace: 'shop' }, spec: { ports } }) as unknown as Service;
const { kurator } = subjectWith();
const checkedAt = (http: object) => ({ ...kurator, spec: { ...kurator.spec, checks: [{ http }] } }) as typeof kurator;

it('asks what the HTTP check asks, through the Service of the same name', () => {
  const services = [service('public', { port: 80 }), service('web', { port: 8080 })];
  expect(urlOf({ kurator, services })).toBe('/api/v1/namespaces/shop/services/web:8080/proxy/healthz');
  expect(urlOf({ kurator, services }, '/')).toBe('/api/v1/namespaces/shop/services/web:8080/proxy/');
});

it('takes the port that leads to where it is checked', () => {
  const services = [service('web', { port: 9090, targetPort: 9090 }, { port: 80, targetPort: 'http' })];
  expect(urlOf({ kurator: checkedAt({ port: 'http', path: '/' }), services })).toContain('web:80/');
  expect(urlOf({ kurator: checkedAt({ path: '/', tls: {} }), services })).toContain('services/https:web:9090/');
});

it('asks nobody where no Service leads to it, or none by TCP', () => {
  expect(urlOf({ kurator, services: [] })).toBeUndefined();
  expect(urlOf({ kurator, services: [service('web', { port: 53, protocol: 'UDP' })] })).toBeUndefined();
});
