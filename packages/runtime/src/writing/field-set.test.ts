import { describe, expect, it } from 'vitest';
import { fieldsOwnedBy, project } from './field-set.ts';

const fields = {
  'f:data': { 'f:ours': {}, 'f:missing': {} },
  'f:spec': {
    'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {} }, 'k:{"port":81}': { 'f:name': {} } },
    'f:finalizers': { 'v:"a/b"': {}, 'v:"c/d"': {} },
    'f:steps': { 'i:1': {} },
    'f:selector': {},
  },
};
const object = {
  data: { ours: '1', theirs: '2' },
  spec: {
    ports: [
      { port: 79, name: 'x' },
      { port: 80, protocol: 'TCP', name: 'web', nodePort: 3 },
    ],
    finalizers: ['x/y', 'a/b'],
    steps: ['first', 'second'],
    selector: { any: 'thing' },
  },
};

describe('project', () => {
  it('takes the owned part: fields, list items by key, value and place, and whole branches', () => {
    expect(project(object, fields)).toEqual({
      'f:data': { 'f:ours': '1', 'f:missing': null },
      'f:spec': {
        'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { 'f:name': 'web' }, 'k:{"port":81}': { 'f:name': null } },
        'f:finalizers': { 'v:"a/b"': 'a/b', 'v:"c/d"': null },
        'f:steps': { 'i:1': 'second' },
        'f:selector': { any: 'thing' },
      },
    });
  });

  it('sees nothing where the object has another shape', () => {
    expect(project({ data: ['no'], spec: { ports: 'no', finalizers: {} } }, fields)).toMatchObject({
      'f:data': { 'f:ours': null },
      'f:spec': { 'f:finalizers': { 'v:"a/b"': null }, 'f:steps': { 'i:1': null } },
    });
  });
});

describe('fieldsOwnedBy', () => {
  const entry = (manager: string, given: object) => ({
    manager,
    operation: 'Apply' as const,
    fieldsV1: fields,
    ...given,
  });
  const owned = (...managedFields: ReturnType<typeof entry>[]) =>
    fieldsOwnedBy('us', { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', managedFields } });

  it('finds what we apply, not what others apply, what we update, or the status', () => {
    expect(owned(entry('us', {}))).toEqual(fields);
    expect(owned(entry('them', {}), entry('us', { operation: 'Update' }), entry('us', { subresource: 'status' }))).toBe(
      undefined,
    );
  });

  it('leaves out owner references: they differ in every child, and are compared by themselves', () => {
    const metadata = { 'f:labels': { 'f:a': {} }, 'f:ownerReferences': { 'k:{"uid":"u"}': {} } };
    expect(owned(entry('us', { fieldsV1: { 'f:metadata': metadata } }))).toEqual({
      'f:metadata': { 'f:labels': { 'f:a': {} } },
    });
  });
});
