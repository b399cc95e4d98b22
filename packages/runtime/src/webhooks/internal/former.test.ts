import { describe, expect, it } from 'vitest';
import { FORMER_ANNOTATION, formerOf, type Keeping, pointsAt } from './former.ts';
import type { Registrant } from './registration.ts';

const desk: Registrant = {
  name: 'shop',
  namespace: 'default',
  address: { url: 'https://192.0.2.7:9443' },
  injectCaFrom: undefined,
  temporary: true,
};
const deployed = { service: { name: 'shop', namespace: 'shop-system', path: '/validate' } };
const dead = { url: 'https://192.0.2.8:1234/validate' };
const kept = { [FORMER_ANNOTATION]: '"kept"' };
const keeping = (given: Partial<Keeping>): Keeping => ({
  annotations: undefined,
  fresh: true,
  addresses: [],
  live: undefined,
  ...given,
});

describe('what a registration was before', () => {
  it('is what it is now, or nothing, where no desk was before', () => {
    expect(formerOf(desk, keeping({}))).toBe('null');
    expect(formerOf(desk, keeping({ addresses: [deployed], live: { a: 1 } }))).toBe('{"a":1}');
  });

  it('is what an earlier desk has kept, where that was killed', () => {
    expect(formerOf(desk, keeping({ annotations: kept, addresses: [dead], live: {} }))).toBe('"kept"');
  });

  it('is what somebody has registered since an earlier desk was killed', () => {
    expect(formerOf(desk, keeping({ annotations: kept, addresses: [deployed], live: { a: 1 } }))).toBe('{"a":1}');
  });

  it('stays what this desk has kept, whatever somebody does meanwhile', () => {
    const now = { annotations: kept, fresh: false, addresses: [deployed], live: {} };
    expect(formerOf(desk, keeping(now))).toBe('"kept"');
  });
});

it('knows its own address from one that only begins like it', () => {
  expect(pointsAt(desk, { url: 'https://192.0.2.7:9443/validate' })).toBe(true);
  expect(pointsAt(desk, { url: 'https://192.0.2.7:94431/validate' })).toBe(false);
  expect(pointsAt(desk, deployed)).toBe(false);
  const inCluster = { ...desk, address: { service: { name: 'shop', namespace: 'shop-system', port: 443 } } };
  expect(pointsAt(inCluster, deployed)).toBe(true);
});
