import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressPlan, blocks, maxNodes, overlaps } from './addresses.ts';

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
    const { host, controlPlane, registry, apiService, dnsService, node } = addressPlan(130);
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
