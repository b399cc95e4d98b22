import type { ConfigMap } from '@kurator/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEventLine } from './event-line.ts';

const line = (event: unknown) => Buffer.from(JSON.stringify(event));
const joined = (parts: readonly Uint8Array[] = []) => JSON.parse(Buffer.concat(parts).toString());

const managedFields = [
  { manager: 'kubectl ] " [', operation: 'Apply' as const, fieldsV1: { 'f:data': { 'k:{"a":"]"}': {} } } },
];

describe('parseEventLine', () => {
  it("gives the object's metadata, the object, and its bytes", () => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { text: 'grüße "{}"' } };
    const event = parseEventLine<ConfigMap>(line({ type: 'ADDED', object }));
    expect(event?.type).toBe('ADDED');
    expect(event?.object.metadata).toEqual({ name: 'a' });
    expect(event?.object.object()).toEqual(object);
    expect(joined(event?.object.parts())).toEqual(object);
  });

  it.each([
    ['an event in another order', { object: { kind: 'X', metadata: { name: 'a' } }, type: 'MODIFIED' }],
    ['fields before the metadata', { type: 'MODIFIED', object: { data: { metadata: '{' }, metadata: { name: 'a' } } }],
    ['a field that looks like metadata', { type: 'MODIFIED', object: { kind: 'metadata', metadata: { name: 'a' } } }],
    [
      'metadata that are managed fields first',
      { type: 'MODIFIED', object: { metadata: { managedFields, name: 'a' } } },
    ],
  ])('understands %s', (_, event) => {
    const read = parseEventLine<ConfigMap>(line(event));
    const { managedFields: __, ...metadata } = event.object.metadata as { managedFields?: unknown };
    expect(read?.type).toBe('MODIFIED');
    expect(read?.object.metadata).toEqual(metadata);
    expect(read?.object.object()).toEqual({ ...event.object, metadata });
  });

  it.each([
    '{"type":"ADDED","object":{"kind":"Conf',
    '{"type":"ADDED","object":{"metadata":{"name":"a"},"data":{"b":"c',
    '{"type":"ADDED","object":{"metadata":{"name":"a}}',
    '',
    'null',
    '{}',
    '{"type":"ADDED"}',
    '{"type":"ADDED","object":{}}',
    '{"type":"ADDED","object":{"metadata":null}}',
  ])('refuses %j', (text) => {
    expect(parseEventLine(Buffer.from(text))).toBeUndefined();
  });

  it('keeps managed fields where that was asked for', () => {
    const object = { kind: 'ConfigMap', metadata: { name: 'a', managedFields } };
    const event = parseEventLine<ConfigMap>(line({ type: 'ADDED', object }), { keepManagedFields: true });
    expect(event?.object.metadata).toEqual(object.metadata);
    expect(joined(event?.object.parts())).toEqual(object);
  });

  it('cuts exactly the managed fields out, whatever is around them', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('managedFields', '"managedFields":[', '}', ']'),
    );
    fc.assert(
      fc.property(
        fc.dictionary(text, text),
        fc.dictionary(text, text),
        text,
        fc.nat(2),
        (data, annotations, name, place) => {
          const fields: [string, unknown][] = [
            ['name', name],
            ['annotations', annotations],
          ];
          const rest = Object.fromEntries(fields);
          const metadata = Object.fromEntries(fields.toSpliced(place, 0, ['managedFields', managedFields]));
          const event = parseEventLine<ConfigMap>(
            line({ type: 'ADDED', object: { kind: 'ConfigMap', metadata, data } }),
          );
          const expected = { kind: 'ConfigMap', metadata: rest, data };
          expect(event?.object.metadata).toEqual(rest);
          expect(joined(event?.object.parts())).toEqual(expected);
          expect(event?.object.object()).toEqual(expected);
        },
      ),
    );
  });
});
