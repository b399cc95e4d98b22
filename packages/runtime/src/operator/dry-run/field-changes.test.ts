import type { KubernetesObject } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { fieldChanges, HIDDEN } from './field-changes.ts';

const of = (fields: object, kind = 'Thing', metadata = {}) =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'a', ...metadata }, ...fields }) as KubernetesObject;

describe('the changes of fields', () => {
  it('are told by path, the smallest that differ', () => {
    const before = of({ spec: { replicas: 1, paused: true, same: { x: 1 } } });
    const after = of({ spec: { replicas: 2, added: { deep: [1, 2] }, same: { x: 1 } } });
    expect(fieldChanges(before, after)).toEqual([
      { path: 'spec.replicas', before: 1, after: 2 },
      { path: 'spec.paused', before: true },
      { path: 'spec.added.deep', after: [1, 2] },
    ]);
  });

  it('call list items by their names where they have some, whatever their order', () => {
    const item = (name: string, image: string) => ({ name, image });
    const before = of({ spec: { containers: [item('web', '1'), item('log', '1')], args: ['a'], any: [{ x: 1 }] } });
    const after = of({ spec: { containers: [item('log', '1'), item('web', '2')], args: ['b'], any: [{ x: 2 }] } });
    expect(fieldChanges(before, after).map(({ path }) => path)).toEqual([
      'spec.containers[web].image',
      'spec.args',
      'spec.any[0].x',
    ]);
  });

  it('leave out what the server writes for itself, and times', () => {
    const noise = { uid: 'u', resourceVersion: '1', generation: 1, creationTimestamp: 't', managedFields: [{}] };
    const condition = (lastTransitionTime: string) => ({
      status: { conditions: [{ type: 'Ready', lastTransitionTime }] },
    });
    expect(fieldChanges(of(condition('1')), of(condition('2'), 'Thing', noise))).toEqual([]);
  });

  it('tell of what is new or goes leaf by leaf', () => {
    const object = of({ data: { a: '1' }, empty: {} }, 'ConfigMap', { labels: { x: 'y' } });
    const leaves = [
      { path: 'metadata.name', after: 'a' },
      { path: 'metadata.labels.x', after: 'y' },
      { path: 'data.a', after: '1' },
      { path: 'empty', after: {} },
    ];
    expect(fieldChanges(undefined, object)).toEqual(expect.arrayContaining(leaves));
    expect(fieldChanges(undefined, object)).toHaveLength(4);
    expect(fieldChanges(object, undefined)).toContainEqual({ path: 'data.a', before: '1' });
  });

  it('tell of what becomes something else altogether as one', () => {
    expect(fieldChanges(of({ spec: { port: 80 } }), of({ spec: { port: { name: 'http' } } }))).toEqual([
      { path: 'spec.port', before: 80, after: { name: 'http' } },
    ]);
  });

  it('show that a secret changes, and never what it is', () => {
    const secret = (value: string) =>
      of({ data: { key: value } }, 'Secret', {
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': value },
      });
    expect(fieldChanges(secret('b25l'), secret('dHdv'))).toEqual([{ path: 'data.key', before: HIDDEN, after: HIDDEN }]);
    const pod = (value: string) =>
      of(
        {
          spec: {
            env: [
              { name: 'DB_PASSWORD', value },
              { name: 'HOST', value },
            ],
          },
        },
        'Pod',
      );
    expect(fieldChanges(pod('1'), pod('2'))).toEqual([
      { path: 'spec.env[DB_PASSWORD].value', before: HIDDEN, after: HIDDEN },
      { path: 'spec.env[HOST].value', before: '1', after: '2' },
    ]);
    const named = (secretName: string) => of({ spec: { secretName } }, 'Pod');
    expect(fieldChanges(named('a'), named('b'))).toEqual([{ path: 'spec.secretName', before: 'a', after: 'b' }]);
  });
});
