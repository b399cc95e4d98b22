import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressPlan, blocks, freeBlocks, maxNodes, overlaps } from './addresses.ts';

const block = fc.constantFrom(...blocks);
const node = fc.integer({ min: 1, max: maxNodes });

describe('addressPlan', () => {
  it('gives every node pods of its own, apart from services and machines', () => {
    fc.assert(
      fc.property(block, node, node, (b, n, m) => {
        const plan = addressPlan(b);
        expect(overlaps(plan.podsOf(n), plan.pods)).toBe(true);
        expect(overlaps(plan.podsOf(n), plan.podsOf(m))).toBe(n === m);
        expect(overlaps(plan.podsOf(n), plan.services)).toBe(false);
        expect(overlaps(plan.podsOf(n), plan.node(m))).toBe(false);
        expect(overlaps(plan.services, plan.node(m))).toBe(false);
      }),
    );
  });

  it('keeps everything within the block, and blocks apart', () => {
    fc.assert(
      fc.property(block, block, node, (a, b, n) => {
        const [first, second] = [addressPlan(a), addressPlan(b)];
        for (const address of [first.host, first.controlPlane, first.registry, first.dnsService, first.node(n)]) {
          expect(overlaps(address, first.network)).toBe(true);
          expect(overlaps(address, second.network)).toBe(a === b);
        }
      }),
    );
  });

  it('gives no address twice', () => {
    const { host, controlPlane, registry, apiService, dnsService, node } = addressPlan('10.130');
    const all = [
      host,
      controlPlane,
      registry,
      apiService,
      dnsService,
      ...Array.from({ length: maxNodes }, (_, i) => node(i + 1)),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('freeBlocks', () => {
  const laptop = ['192.168.1.0/24', '192.168.1.17', '172.17.0.0/16', '127.0.0.0/8'];

  it('are all but those that a route leads to, the high ones of 10.0.0.0/8 first', () => {
    const free = freeBlocks([...laptop, '10.128.0.0/16', '10.129.64.0/24']);
    expect(free[0]).toBe('10.130');
    expect(free).toContain('172.16');
    expect(free).not.toContain('172.17');
    expect(free).not.toContain('192.168');
  });

  it('are in another private range where a VPN claims 10.0.0.0/8', () => {
    expect(freeBlocks([...laptop, '10.0.0.0/8'])[0]).toBe('172.16');
  });

  it('are in the range for benchmarks where a VPN claims every private range', () => {
    expect(freeBlocks(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'])).toEqual(['198.18', '198.19']);
  });

  it('are not fewer for a VPN that wants all traffic', () => {
    expect(freeBlocks(['0.0.0.0/1', '128.0.0.0/1', '0.0.0.0/0'])).toEqual(blocks);
  });

  it('never overlap with a route to a network, whatever routes there are', () => {
    const route = fc.tuple(fc.ipV4(), fc.integer({ min: 8, max: 32 })).map(([address, bits]) => `${address}/${bits}`);
    fc.assert(
      fc.property(fc.array(route), (routes) => {
        for (const block of freeBlocks(routes))
          expect(routes.some((each) => overlaps(each, addressPlan(block).network))).toBe(false);
      }),
    );
  });
});

describe('overlaps', () => {
  it.each([
    ['10.128.0.0/16', '10.128.64.0/24', true],
    ['10.128.0.0/16', '10.129.0.0/16', false],
    ['0.0.0.0/0', '10.128.0.0/16', true],
    ['10.128.3.4', '10.128.3.4', true],
    ['10.128.3.4', '10.128.3.5', false],
  ])('%s and %s: %s', (a, b, expected) => {
    expect(overlaps(a, b)).toBe(expected);
    expect(overlaps(b, a)).toBe(expected);
  });
});
