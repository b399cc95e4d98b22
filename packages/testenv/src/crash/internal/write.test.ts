import { describe, expect, it } from 'vitest';
import { describeWrite, parsePath, withoutRandomness } from './write.ts';

function told(method: string, target: string, body = '', type = 'application/json'): string | undefined {
  const url = new URL(target, 'http://gate');
  const path = parsePath(url.pathname);
  return path && describeWrite(method, url, { 'content-type': type }, path, Buffer.from(body));
}
const pods = '/api/v1/namespaces/shop/pods';
const deployments = '/apis/apps/v1/namespaces/shop/deployments';

describe('a write', () => {
  it.each([
    ['POST', pods, '{"metadata":{"name":"web"}}', 'create pods/web'],
    ['POST', pods, '{"metadata":{"generateName":"web-"}}', 'create pods/web-*'],
    ['POST', pods, 'no JSON', 'create pods'],
    ['POST', `${pods}/web-x7k2p/eviction`, '{}', 'create pods/web-*/eviction'],
    ['PUT', `${deployments}/web`, '{}', 'update deployments.apps/web'],
    ['PATCH', `${deployments}/web/status`, '{}', 'patch deployments.apps/web/status'],
    ['DELETE', `${deployments}/web`, '', 'delete deployments.apps/web'],
    ['DELETE', deployments, '', 'deletecollection deployments.apps'],
  ])('by %s to %s is told by what it does', (method, target, body, words) => {
    expect(told(method, target, body)).toBe(words);
  });

  it('that applies is told from one that patches', () => {
    expect(told('PATCH', `${deployments}/web`, '{}', 'application/apply-patch+yaml')).toBe(
      'apply deployments.apps/web',
    );
  });

  it.each([
    ['GET', pods],
    ['PATCH', `${deployments}/web?dryRun=All`],
    ['POST', '/apis/authorization.k8s.io/v1/namespaces/shop/localsubjectaccessreviews'],
    ['POST', '/api/v1/namespaces/shop/serviceaccounts/web/token'],
    ['POST', '/readyz'],
  ])('is none where nothing changes: %s %s', (method, target) => {
    expect(told(method, target)).toBeUndefined();
  });
});

describe('a path', () => {
  it.each([
    [`${deployments}/web`, { resource: 'deployments.apps', namespace: 'shop', name: 'web', root: '/apis/apps/v1' }],
    ['/apis/apps/v1/deployments', { resource: 'deployments.apps', namespace: undefined, name: undefined }],
    ['/api/v1/namespaces/shop', { resource: 'namespaces', namespace: undefined, name: 'shop' }],
  ])('says what it names: %s', (path, expected) => {
    expect(parsePath(path)).toMatchObject(expected);
  });
});

describe('a name', () => {
  it.each([
    ['web', 'web'],
    ['web-server', 'web-server'],
    ['web-0', 'web-0'],
    ['web-6d4cf56db6-x7k2p', 'web-*'],
    ['web-a81f03', 'web-*'],
    ['web-0b8f8e5c-58b1-4f0e-9d5c-0123456789ab', 'web-*'],
  ])('loses what is by chance: %s', (name, rest) => {
    expect(withoutRandomness(name)).toBe(rest);
  });
});
