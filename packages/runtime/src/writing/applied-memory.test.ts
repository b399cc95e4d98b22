import type { KubernetesObject, UntypedObject } from '@kurator/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppliedMemory } from './applied-memory.ts';
import { fingerprintOf, sameJson } from './json.ts';

const owner = { apiVersion: 'example.com/v1', kind: 'Echo', name: 'e', uid: 'u1', controller: true };
const wanted = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'n', labels: { app: 'd' }, ownerReferences: [owner] },
  spec: { template: { spec: { containers: [{ name: 'web', resources: { limits: { cpu: '1000m' } } }] } } },
};
const fieldsV1 = {
  'f:metadata': { 'f:labels': { 'f:app': {} }, 'f:ownerReferences': { 'k:{"uid":"u1"}': {} } },
  'f:spec': {
    'f:template': {
      'f:spec': { 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:name': {}, 'f:resources': {} } } },
    },
  },
};
/** As a server would answer: it writes the quantity in its own way, and adds what it likes. */
const answer: UntypedObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'd',
    namespace: 'n',
    uid: 'u2',
    resourceVersion: '10',
    generation: 1,
    labels: { app: 'd' },
    ownerReferences: [owner],
    managedFields: [{ manager: 'us', operation: 'Apply', fieldsV1 }],
  },
  spec: {
    replicas: 1,
    template: {
      spec: { containers: [{ name: 'web', resources: { limits: { cpu: '1' } }, terminationMessagePath: '/x' }] },
    },
  },
};

/** The same object in a later version, as a cache without managedFields has it. */
function later(change: (object: UntypedObject) => void): UntypedObject {
  const object = structuredClone(answer);
  object.metadata.resourceVersion = '11';
  delete object.metadata.managedFields;
  change(object);
  return object;
}

function setUp() {
  const memory = new AppliedMemory('us');
  memory.remember('id', fingerprintOf(wanted), answer);
  return (live: KubernetesObject, again: KubernetesObject = wanted) =>
    memory.isApplied('id', fingerprintOf(again), again, live);
}

describe('what was applied', () => {
  it('is not applied again as long as nothing changed', () => {
    const isApplied = setUp();
    expect(isApplied(answer)).toBe(true);
    expect(isApplied(later(() => {}))).toBe(true);
  });

  it('is not applied again because of what others do to fields of their own', () => {
    const isApplied = setUp();
    const others = later((object) => {
      object.spec.replicas = 5;
      object.status = { readyReplicas: 5 };
      object.metadata.annotations = { note: 'theirs' };
      object.metadata.labels = { app: 'd', extra: 'theirs' };
      object.spec.template.spec.containers.unshift({ name: 'sidecar' });
      object.metadata.ownerReferences = [owner, { ...owner, uid: 'u9', controller: false }];
    });
    expect(isApplied(others)).toBe(true);
  });

  it.each<[string, (object: UntypedObject) => void]>([
    ['changes a field of ours', (object) => (object.metadata.labels = { app: 'theirs' })],
    ['removes a field of ours', (object) => delete object.metadata.labels],
    ['changes a field deep inside', (object) => (object.spec.template.spec.containers[0].resources.limits.cpu = '2')],
    [
      'adds to a field that is ours as a whole',
      (object) => (object.spec.template.spec.containers[0].resources.requests = {}),
    ],
    ['removes an item of ours', (object) => (object.spec.template.spec.containers = [{ name: 'other' }])],
    ['takes the owner away', (object) => delete object.metadata.ownerReferences],
    ['changes the owner', (object) => (object.metadata.ownerReferences = [{ ...owner, controller: false }])],
  ])('is applied again when somebody %s', (_, change) => {
    expect(setUp()(later(change))).toBe(false);
  });

  it('is applied again when something else is wanted', () => {
    const other = { ...wanted, metadata: { ...wanted.metadata, labels: {} } };
    expect(setUp()(answer, other)).toBe(false);
  });
});

describe('what this process has never applied', () => {
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', namespace: 'n', labels: { a: 'b' } },
    data: { message: 'hi' },
  };
  const live = (metadata: object, rest: object = {}) => ({
    ...configMap,
    ...rest,
    metadata: { ...configMap.metadata, uid: 'u', resourceVersion: '5', creationTimestamp: 'then', ...metadata },
  });
  const isApplied = (object: KubernetesObject) =>
    new AppliedMemory('us').isApplied('id', fingerprintOf(configMap), configMap, object);

  it('is left alone if it is exactly as wanted', () => {
    expect(isApplied(live({}))).toBe(true);
    expect(isApplied(live({}, { status: { any: 'thing' } }))).toBe(true);
  });

  it('is applied if it has less, other or more: more could be what an earlier version of us wanted', () => {
    expect(isApplied(live({ labels: {} }))).toBe(false);
    expect(isApplied(live({}, { data: { message: 'other' } }))).toBe(false);
    expect(isApplied(live({}, { data: { message: 'hi', old: 'x' } }))).toBe(false);
    expect(isApplied(live({ annotations: { old: 'x' } }))).toBe(false);
  });

  it('is never left alone unless every field is the same', () => {
    const data = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'));
    fc.assert(
      fc.property(data, data, (there, asked) => {
        const want = { ...configMap, data: asked };
        const memory = new AppliedMemory('us');
        expect(memory.isApplied('id', fingerprintOf(want), want, live({}, { data: there }))).toBe(
          sameJson(there, asked),
        );
      }),
    );
  });
});

describe('the memory', () => {
  it('is bounded, and forgets first what was not used for longest', () => {
    const memory = new AppliedMemory('us', 2);
    const print = fingerprintOf(wanted);
    const known = (id: string) => memory.isApplied(id, print, wanted, answer);
    for (const id of ['a', 'b']) memory.remember(id, print, answer);
    expect(known('a')).toBe(true);
    memory.remember('c', print, answer);
    expect(memory.size).toBe(2);
    expect([known('b'), known('a'), known('c')]).toEqual([false, true, true]);
  });
});
