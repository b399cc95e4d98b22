import { parseQuantity } from '@kurator/client';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  containerPorts,
  duration,
  embeddedObject,
  environment,
  intOrString,
  labelSelector,
  listMap,
  mapOf,
  preserveUnknown,
  quantity,
  resourceRequirements,
  uniqueList,
} from '../index.ts';
import { nanosecondsOf, nanosOf } from './quantity.ts';

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

describe('quantity', () => {
  it.each(['500m', '1.5Gi', '2e3', '2E3', '-1', '.5', '5.', '+1k', 3])('takes %s', (value) => {
    expect(accepts(quantity(), value)).toBe(true);
  });

  it.each(['', '1KiB', '1 Gi', 'e3', '1e', '1.2.3', 0.5, true])('refuses %s', (value) => {
    expect(accepts(quantity(), value)).toBe(false);
  });

  it('compares amounts, not texts', () => {
    const bounded = quantity({ min: '100m', max: '2Gi' });
    expect(['100m', '0.1', '2Gi', '2048Mi', 1].map((value) => accepts(bounded, value))).not.toContain(false);
    expect(['99m', '2049Mi', '3Gi', 0].map((value) => accepts(bounded, value))).not.toContain(true);
    expect(bounded.safeParse('3Gi').error?.issues[0]?.message).toBe('must be at most 2Gi');
  });

  it('reads amounts as the client does', () => {
    const amount = fc.tuple(
      fc.constantFrom('', '-', '+'),
      fc.nat(9999),
      fc.option(fc.nat(99999)),
      fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-2'),
    );
    fc.assert(
      fc.property(amount, ([sign, whole, fraction, suffix]) => {
        const text = `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`;
        expect(nanosOf(text)).toBe(parseQuantity(text).nanos);
      }),
    );
  });
});

describe('duration', () => {
  it.each([
    ['1h30m', 5_400e9],
    ['250ms', 250e6],
    ['1.5s', 1.5e9],
    ['1µs', 1e3],
    ['0', 0],
  ])('%s is %d nanoseconds', (text, nanoseconds) => {
    expect(nanosecondsOf(text)).toBe(nanoseconds);
  });

  it.each(['', '1', '-1s', '1d', '1s ', 's'])('refuses %s', (value) => {
    expect(accepts(duration(), value)).toBe(false);
  });

  it('compares lengths of time, not texts', () => {
    const bounded = duration({ min: '1s', max: '1h' });
    expect(['1000ms', '60m', '3600s'].map((value) => accepts(bounded, value))).not.toContain(false);
    expect(['999ms', '1h1ms', '0'].map((value) => accepts(bounded, value))).not.toContain(true);
  });
});

describe('lists and maps', () => {
  it('a set has each value once', () => {
    expect(uniqueList(z.string()).safeParse(['a', 'b', 'a']).error?.issues[0]?.message).toBe('"a" occurs twice');
    expect(accepts(uniqueList(z.string()).max(2), ['a', 'b'])).toBe(true);
  });

  it('a list map has each key once, defaults counted', () => {
    const ports = listMap(z.object({ port: z.int(), protocol: z.string().default('TCP') }), ['port', 'protocol']);
    expect(accepts(ports, [{ port: 1 }, { port: 1, protocol: 'UDP' }])).toBe(true);
    expect(ports.safeParse([{ port: 1 }, { port: 1, protocol: 'TCP' }]).error?.issues[0]?.message).toBe(
      'two items have the same port and protocol: 1,"TCP"',
    );
    // @ts-expect-error: there is no such field.
    listMap(z.object({ a: z.string() }), ['b']);
  });

  it('a map has as many entries as it may', () => {
    const map = mapOf(z.string(), z.int(), { min: 1, max: 2 });
    expect([{}, { a: 1 }, { a: 1, b: 2, c: 3 }].map((value) => accepts(map, value))).toEqual([false, true, false]);
    expectTypeOf<z.output<typeof map>>().toEqualTypeOf<Record<string, number>>();
  });
});

describe('open fields', () => {
  it('keep what they do not know', () => {
    expect(preserveUnknown().parse({ a: 1 })).toEqual({ a: 1 });
    expect(preserveUnknown(z.object({ a: z.int() })).parse({ a: 1, b: 2 })).toEqual({ a: 1, b: 2 });
    expect(accepts(preserveUnknown(z.object({ a: z.int() })), { a: 'x' })).toBe(false);
  });

  it('an embedded object says what it is', () => {
    expect(accepts(embeddedObject(), { apiVersion: 'apps/v1', kind: 'Deployment', spec: {} })).toBe(true);
    expect(accepts(embeddedObject(), { kind: 'Deployment' })).toBe(false);
  });

  it('an int or string can be narrowed on either side', () => {
    const port = intOrString(z.int().min(1).max(65535), z.string().min(1).max(15));
    expectTypeOf<z.output<typeof port>>().toEqualTypeOf<string | number>();
    expect([80, 'http', 0, ''].map((value) => accepts(port, value))).toEqual([true, true, false, false]);
  });
});

describe('pieces of Kubernetes', () => {
  it('fill in what Kubernetes would', () => {
    expect(containerPorts().parse([{ containerPort: 80 }])).toEqual([{ containerPort: 80, protocol: 'TCP' }]);
    expect(environment().parse([{ name: 'A', value: 'b' }])).toEqual([{ name: 'A', value: 'b' }]);
    expect(resourceRequirements().parse({ limits: { cpu: '500m' } })).toEqual({ limits: { cpu: '500m' } });
  });

  it('refuse what Kubernetes would', () => {
    expect(accepts(containerPorts(), [{ containerPort: 0 }])).toBe(false);
    expect(accepts(environment(), [{ name: 'A' }, { name: 'A' }])).toBe(false);
    expect(accepts(resourceRequirements(), { limits: { cpu: 'much' } })).toBe(false);
    expect(accepts(labelSelector(), { matchExpressions: [{ key: 'a', operator: 'Near' }] })).toBe(false);
  });
});
