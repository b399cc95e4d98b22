import type { ConfigMap } from '@kurator/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEventLine, withoutManagedFields } from './event-line.ts';

const line = (event: unknown) => Buffer.from(JSON.stringify(event));
const joined = (parts: readonly Uint8Array[]) => JSON.parse(Buffer.concat(parts).toString());

const managedFields = [
  { manager: 'kubectl ] " [', operation: 'Apply' as const, fieldsV1: { 'f:data': { 'k:{"a":"]"}': {} } } },
];

describe('parseEventLine', () => {
  it("gives the object, and the object's own bytes", () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text: 'grüße "{}"' } };
    const event = parseEventLine<ConfigMap>(line({ type: 'ADDED', object }));
    expect(event).toMatchObject({ type: 'ADDED', object });
    expect(joined(event?.parts ?? [])).toEqual(object);
  });

  it('understands a server that writes the same event in another order', () => {
    const object = { kind: 'ConfigMap', metadata: { name: 'a' } };
    const event = parseEventLine<ConfigMap>(line({ object, type: 'MODIFIED' }));
    expect(event?.type).toBe('MODIFIED');
    expect(joined(event?.parts ?? [])).toEqual(object);
  });

  it.each(['{"type":"ADDED","object":{"kind":"Conf', '', 'null', '{}', '{"type":"ADDED"}'])('refuses %j', (text) => {
    expect(parseEventLine(Buffer.from(text))).toBeUndefined();
  });
});

describe('withoutManagedFields', () => {
  it('cuts exactly that field out, whatever is around it', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })),
        fc.dictionary(fc.string(), fc.string()),
        fc.boolean(),
        (data, annotations, last) => {
          const rest = { name: 'a', annotations };
          const metadata = last ? { ...rest, managedFields } : { name: 'a', managedFields, annotations };
          const event = parseEventLine<ConfigMap>(
            line({ type: 'ADDED', object: { kind: 'ConfigMap', metadata, data } }),
          );
          if (!event) throw new Error('no event');
          const stripped = withoutManagedFields(event);
          const expected = { kind: 'ConfigMap', metadata: rest, data };
          expect(joined(stripped.parts)).toEqual(expected);
          expect(stripped.object).toEqual(expected);
        },
      ),
    );
  });
});
