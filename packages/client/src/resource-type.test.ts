import { describe, expect, it } from 'vitest';
import { pluralOf } from './notation.ts';
import { collectionPath, objectPath, resourceType } from './resource-type.ts';

const Pod = resourceType('v1', 'Pod');
const Node = resourceType('v1', 'Node', { namespaced: false });
const Widget = resourceType('example.com/v1', 'Widget');

it.each([
  ['Pod', 'pods'],
  ['StorageClass', 'storageclasses'],
  ['Ingress', 'ingresses'],
  ['NetworkPolicy', 'networkpolicies'],
  ['Gateway', 'gateways'],
  ['EndpointSlice', 'endpointslices'],
  ['Box', 'boxes'],
])('calls several %s %s', (kind, plural) => expect(pluralOf(kind)).toBe(plural));

describe('paths', () => {
  it('of the core group', () => expect(collectionPath(Pod)).toBe('/api/v1/pods'));
  it('of a group', () => expect(collectionPath(Widget, 'a')).toBe('/apis/example.com/v1/namespaces/a/widgets'));
  it('of an object', () => expect(objectPath(Pod, { name: 'p', namespace: 'a' })).toBe('/api/v1/namespaces/a/pods/p'));
  it('of a subresource', () => expect(objectPath(Node, { name: 'n' }, 'status')).toBe('/api/v1/nodes/n/status'));
  it('escape what RBAC names may contain', () => {
    const Role = resourceType('rbac.authorization.k8s.io/v1', 'ClusterRole', { namespaced: false });
    expect(objectPath(Role, { name: 'system:node' })).toBe(
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
    );
  });
});

describe('refuses, and names the fix', () => {
  it.each([
    ['a pod without a namespace', () => objectPath(Pod, { name: 'p' }), 'Pod is namespaced: give metadata.namespace'],
    ['a node with one', () => objectPath(Node, { name: 'n', namespace: 'a' }), 'leave out the namespace "a"'],
    ['no name', () => objectPath(Pod, { name: '', namespace: 'a' }), 'give metadata.name'],
    ['a name that climbs', () => objectPath(Node, { name: '..' }), "can't be the name of a Node"],
    ['a name with a slash', () => objectPath(Pod, { name: 'p/log', namespace: 'a' }), "can't be the name of a Pod"],
    ['a namespace with a slash', () => objectPath(Pod, { name: 'p', namespace: 'a/b' }), "can't be the namespace"],
  ])('%s', (_, ask, message) => expect(ask).toThrow(message));
});
