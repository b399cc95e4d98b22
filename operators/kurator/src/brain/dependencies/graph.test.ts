import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cycleInWords, type Dependencies, dependantsOf, orderOf } from './graph.ts';

const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));

describe('orderOf', () => {
  it('puts causes before their dependants', () => {
    expect(orderOf(graph({ web: ['api'], api: ['db', 'cache'], db: [], cache: [] })).order).toEqual([
      'db',
      'cache',
      'api',
      'web',
    ]);
  });

  it('names the cycle, and only the cycle', () => {
    const { cycle } = orderOf(graph({ web: ['api'], api: ['db'], db: ['cache'], cache: ['api'] }));
    expect(cycle).toEqual(['api', 'db', 'cache', 'api']);
    expect(cycleInWords(cycle ?? [])).toBe('dependsOn goes in a circle: api → db → cache → api; take one of these out');
  });

  it('sees a service that depends on itself', () => {
    expect(orderOf(graph({ web: ['web'] })).cycle).toEqual(['web', 'web']);
  });

  it('leaves out names that nobody describes', () => {
    expect(orderOf(graph({ web: ['elsewhere'] })).order).toEqual(['web']);
  });

  it('takes a chain of 20,000', () => {
    const chain = new Map(Array.from({ length: 20_000 }, (_, index) => [`${index}`, index ? [`${index - 1}`] : []]));
    expect(orderOf(chain).order?.at(-1)).toBe('19999');
  });

  it('gives an order that holds, or a cycle that is one, for any graph', () => {
    const nodes = fc.integer({ min: 0, max: 7 });
    fc.assert(
      fc.property(fc.array(fc.tuple(nodes, nodes), { maxLength: 20 }), (edges) => {
        const all = new Map<string, string[]>(Array.from({ length: 8 }, (_, index) => [`${index}`, []]));
        for (const [from, to] of edges) all.get(`${from}`)?.push(`${to}`);
        const { order, cycle } = orderOf(all);
        if (cycle) expectCycle(all, cycle);
        else expectOrder(all, order);
      }),
    );
  });
});

function expectCycle(all: Dependencies, cycle: readonly string[]): void {
  expect(cycle.at(-1)).toBe(cycle[0]);
  for (const [index, name] of cycle.slice(0, -1).entries()) expect(all.get(name)).toContain(cycle[index + 1]);
}

function expectOrder(all: Dependencies, order: readonly string[]): void {
  expect(order.toSorted()).toEqual([...all.keys()]);
  for (const [name, needs] of all) {
    for (const need of needs) expect(order.indexOf(need)).toBeLessThan(order.indexOf(name));
  }
}

describe('dependantsOf', () => {
  it('turns the arrows around', () => {
    expect(dependantsOf(graph({ web: ['db'], api: ['db'], db: [] })).get('db')).toEqual(['web', 'api']);
  });
});
