import { ConfigMap, Namespace, resourceType } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { marked, ownerByAnnotation, refuseOthers } from './remote-children.ts';

const Garden = resourceType('example.com/v1', 'Garden');
const garden = { apiVersion: 'example.com/v1', kind: 'Garden', metadata: { name: 'rose', namespace: 'n', uid: 'u1' } };

describe('a child that Kubernetes can’t see the owner of', () => {
  it('says whose it is, and keeps what its author gave it', () => {
    const metadata = { name: 'a', namespace: 'far', labels: { my: 'own' }, annotations: { my: 'note' } };
    expect(marked(ConfigMap, { metadata, data: {} }, garden, 'gardener')).toEqual({
      data: {},
      metadata: {
        name: 'a',
        namespace: 'far',
        labels: { my: 'own', 'kurator.dev/managed-by': 'gardener', 'kurator.dev/owner-uid': 'u1' },
        annotations: { my: 'note', 'kurator.dev/owner': 'Garden.example.com n/rose' },
      },
    });
  });

  it('is in its owner’s namespace unless it is elsewhere, or of the whole cluster', () => {
    expect(marked(ConfigMap, { metadata: { name: 'a' } }, garden, 'x').metadata.namespace).toBe('n');
    expect(marked(Namespace, { metadata: { name: 'a' } }, garden, 'x').metadata).not.toHaveProperty('namespace');
  });

  it('leads back to its owner, in whatever version that was written', () => {
    const child = marked(ConfigMap, { metadata: { name: 'a' } }, garden, 'x') as ConfigMap;
    expect(ownerByAnnotation({ ...Garden, apiVersion: 'example.com/v2' })(child)).toEqual({
      name: 'rose',
      namespace: 'n',
    });
    expect(ownerByAnnotation({ ...Garden, kind: 'GardenShed' })(child)).toBeUndefined();
    expect(ownerByAnnotation(Garden)({ ...child, metadata: { name: 'a' } })).toBeUndefined();
  });

  it('is not taken from another, but from one of the same name that was made anew', () => {
    const child = marked(ConfigMap, { metadata: { name: 'a' } }, garden, 'x') as ConfigMap;
    const again = { ...garden, metadata: { ...garden.metadata, uid: 'u2' } };
    expect(() => refuseOthers(again, child, 'gardener')).not.toThrow();
    const other = { ...garden, metadata: { ...garden.metadata, name: 'tulip' } };
    expect(() => refuseOthers(other, child, 'gardener', true)).toThrow('belongs to Garden.example.com n/rose');
  });
});
