import type { Client } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { differences, endState } from './end-state.ts';
import { parsePath, type ResourcePath } from './write.ts';

const resources = ['/api/v1/configmaps', '/api/v1/services'].map((path) => parsePath(path) as ResourcePath);

/** A server that has these objects in the namespace. */
function having(namespace: string, objects: Record<'configmaps' | 'services', object[]>): Client {
  const raw = async (_: string, path: string) => {
    const [, plural] = path.split(`${namespace}/`) as ['', 'configmaps' | 'services'];
    return { kind: plural === 'services' ? 'ServiceList' : 'ConfigMapList', apiVersion: 'v1', items: objects[plural] };
  };
  return { raw } as unknown as Client;
}

/** The same, with whatever chance makes of it. */
function world(namespace: string, random: string, uid: string, time: string, generation: number, number: number) {
  const metadata = { namespace, uid, creationTimestamp: time, resourceVersion: String(number), generation };
  return having(namespace, {
    configmaps: [
      { metadata: { ...metadata, name: `web-${random}` }, data: { of: `http://web.${namespace}.svc` } },
      { metadata: { ...metadata, name: 'kube-root-ca.crt' } },
    ],
    services: [
      {
        metadata: { ...metadata, name: 'web', ownerReferences: [{ name: 'web', uid }] },
        spec: { clusterIP: `10.0.0.${number}`, ports: [{ nodePort: 30_000 + number }], config: `web-${random}` },
        status: { observedGeneration: generation, since: time },
      },
    ],
  });
}

describe('the end of a run', () => {
  it('is the same whatever chance has made of identities, names, times and addresses', async () => {
    const first = world('crash-1', 'a81f03', '0b8f8e5c-58b1-4f0e-9d5c-0123456789ab', '2026-01-01T00:00:00Z', 1, 1);
    const second = world('crash-2', 'b92e14', '1b8f8e5c-58b1-4f0e-9d5c-0123456789ab', '2026-01-02T00:00:00.5Z', 4, 2);
    const [one, other] = [await endState(first, 'crash-1', resources), await endState(second, 'crash-2', resources)];
    expect(other).toEqual(one);
    expect(Object.keys(one)).toEqual(['ConfigMap web-*', 'Service web']);
    expect(differences(other, one)).toEqual([]);
  });

  it('is another when a name leads nowhere', async () => {
    const wrong = having('crash-1', {
      configmaps: [{ metadata: { name: 'web-a81f03' } }],
      services: [{ metadata: { name: 'web' }, spec: { config: 'web-c0ffee' } }],
    });
    const right = having('crash-1', {
      configmaps: [{ metadata: { name: 'web-a81f03' } }],
      services: [{ metadata: { name: 'web' }, spec: { config: 'web-a81f03' } }],
    });
    const states = [await endState(wrong, 'crash-1', resources), await endState(right, 'crash-1', resources)] as const;
    expect(differences(...states)).toEqual(["Service web: spec.config is 'web-c0ffee', not 'web-*'"]);
  });

  it('has what the author lets count', async () => {
    const client = having('crash-1', {
      configmaps: [{ metadata: { name: 'a' }, data: { x: '1', y: '2' } }],
      services: [{ metadata: { name: 'web' } }],
    });
    const state = await endState(client, 'crash-1', resources, ({ kind, data }) =>
      kind === 'Service' ? undefined : { x: (data as { x: string }).x },
    );
    expect(state).toEqual({ 'ConfigMap a': [{ x: '1' }] });
  });
});

describe('differences', () => {
  it('name the object and the field', () => {
    const expected = { 'Deployment web': [{ spec: { replicas: 5, on: true } }], 'Pod web-*': [{}] };
    const actual = { 'Deployment web': [{ spec: { replicas: 3, on: true } }], 'Pod web-*': [{}, {}] };
    expect(differences(actual, expected)).toEqual([
      'Deployment web: spec.replicas is 3, not 5',
      'Pod web-*: there are 2, not 1',
    ]);
  });
});
