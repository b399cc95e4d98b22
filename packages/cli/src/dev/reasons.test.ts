import type { KubernetesObject } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { changedFields, Reasons } from './reasons.ts';

type Fields = { spec?: object; status?: object; data?: object; labels?: Record<string, string>; owner?: string };

function objectOf(kind: string, name: string, { labels, owner, ...rest }: Fields = {}): KubernetesObject {
  const ownerReferences = owner ? [{ apiVersion: 'v1', kind: 'MyApp', name: owner, uid: '1', controller: true }] : [];
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 'default', labels: labels ?? {}, ownerReferences },
    ...rest,
  };
}

function change(kind: string, before: Fields | undefined, after: Fields) {
  const type = before ? ('updated' as const) : ('added' as const);
  const previous = before && objectOf(kind, 'web', before);
  return { type, key: 'default/web', kind, object: objectOf(kind, 'web', after), previous };
}

describe('why an object is reconciled', () => {
  it('is the change of the object itself, but not of its status', () => {
    const reasons = new Reasons(['MyApp']);
    reasons.note(change('MyApp', { status: { a: 1 } }, { status: { a: 2 } }), 1);
    reasons.note(change('MyApp', { spec: { a: 1, b: 1 } }, { spec: { a: 2, b: 1 } }), 2);
    expect(reasons.take('MyApp', 'default/web', 10)).toEqual(['changed: spec.a']);
  });

  it('is the change of a child', () => {
    const reasons = new Reasons(['MyApp']);
    reasons.note(change('ConfigMap', { data: { a: 1 }, owner: 'app' }, { data: {}, owner: 'app' }), 1);
    expect(reasons.take('MyApp', 'default/app', 10)).toEqual(['ConfigMap default/web changed: data']);
  });

  it('is said to be a guess where a change has no owner', () => {
    const reasons = new Reasons(['MyApp']);
    reasons.note(change('Secret', undefined, {}), 1);
    expect(reasons.take('MyApp', 'default/app', 10)).toEqual(['maybe: Secret default/web is new']);
    expect(reasons.take('MyApp', 'default/app', 5_000)).toEqual(['it was time again']);
  });

  it('is the first look, and later the time, where nothing has changed', () => {
    const reasons = new Reasons(['MyApp']);
    expect(reasons.take('MyApp', 'default/web', 1)).toEqual(['first look']);
    expect(reasons.take('MyApp', 'default/web', 2)).toEqual(['it was time again']);
  });

  it('keeps for the next one what came while it ran', () => {
    const reasons = new Reasons(['MyApp']);
    reasons.note(change('MyApp', undefined, {}), 0);
    reasons.note(change('ConfigMap', undefined, { owner: 'web' }), 50);
    expect(reasons.take('MyApp', 'default/web', 0)).toEqual(['is new']);
    expect(reasons.take('MyApp', 'default/web', 60)).toEqual(['ConfigMap default/web is new']);
  });
});

describe('changedFields', () => {
  it('names what changed, and leaves out what changes with every write', () => {
    const before = objectOf('A', 'a', { labels: { x: '1' }, spec: { n: 1 } });
    const after = objectOf('A', 'a', { labels: { x: '2' }, spec: { m: 1 }, data: {} });
    after.metadata.resourceVersion = '2';
    expect(changedFields(before, after).toSorted()).toEqual(['data', 'metadata.labels', 'spec.m', 'spec.n']);
  });
});
