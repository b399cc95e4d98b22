import { type OwnerReference, resourceType } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { controllerOfKind, ownersOfKind } from './mapping.ts';

const Widget = resourceType('example.com/v1', 'Widget');
const ClusterWidget = resourceType('example.com/v1', 'ClusterWidget', { namespaced: false });

const owner = (given: Partial<OwnerReference>) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  name: 'w',
  uid: 'u',
  controller: true,
  ...given,
});
const child = (...ownerReferences: OwnerReference[]) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', namespace: 'n', ownerReferences },
});

describe('controllerOfKind', () => {
  const widgetOf = controllerOfKind(Widget);

  it('finds the owner that controls, in the namespace of the child', () => {
    expect(widgetOf(child(owner({ controller: false, name: 'other' }), owner({})))).toEqual({
      name: 'w',
      namespace: 'n',
    });
  });

  it('finds it by group, whatever version wrote the reference', () => {
    expect(widgetOf(child(owner({ apiVersion: 'example.com/v1alpha1' })))).toBeDefined();
    expect(widgetOf(child(owner({ apiVersion: 'other.com/v1' })))).toBeUndefined();
  });

  it('finds nothing where the owner is of another kind, does not control, or is not there', () => {
    expect(widgetOf(child(owner({ kind: 'Gadget' })))).toBeUndefined();
    expect(widgetOf(child(owner({ controller: false })))).toBeUndefined();
    expect(widgetOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } })).toBeUndefined();
  });

  it('names owners of the whole cluster without a namespace', () => {
    expect(controllerOfKind(ClusterWidget)(child(owner({ kind: 'ClusterWidget' })))).toEqual({
      name: 'w',
      namespace: undefined,
    });
  });
});

describe('ownersOfKind', () => {
  it('finds all owners of the kind, whether they control or not', () => {
    const refs = [owner({ name: 'a' }), owner({ name: 'b', controller: false }), owner({ kind: 'Gadget' })];
    const { controller: _, ...plain } = owner({ name: 'c' });
    expect(ownersOfKind(Widget)(child(...refs, plain)).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });
});
