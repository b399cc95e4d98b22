import {
  ConfigMap,
  Deployment,
  type KubernetesObject,
  Namespace,
  resourceType,
  Secret,
  Service,
} from '@kurator/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Child, child } from '../child.ts';
import type { ChildrenError } from '../children-error.ts';
import { applyChildren } from './apply-children.ts';

const map = (name: string, after?: string[]) => child(ConfigMap, { metadata: { name } }, after ? { after } : {});

/** Applies children; `failing` names those that fail. Gives the order in which they were tried. */
async function order(children: Record<string, Child>, failing: readonly string[] = []) {
  const tried: string[] = [];
  const apply = async ({ manifest }: Child) => {
    const name = manifest.metadata.name ?? '';
    tried.push(name);
    await Promise.resolve();
    if (failing.includes(name)) throw new Error(`no ${name}`);
    return manifest as KubernetesObject;
  };
  const error = await applyChildren(children, apply).then(
    () => undefined,
    (error: ChildrenError) => error,
  );
  return { tried, error };
}

describe('a set of children', () => {
  it('is applied in the order in which kinds need each other', async () => {
    const named = { metadata: { name: '' } };
    const children = {
      deployment: child(Deployment, { ...named, metadata: { name: 'deployment' } }),
      custom: child(resourceType('example.com/v1', 'Thing'), { metadata: { name: 'custom' } }),
      service: child(Service, { metadata: { name: 'service' } }),
      secret: child(Secret, { metadata: { name: 'secret' } }),
      namespace: child(Namespace, { metadata: { name: 'namespace' } }),
    };
    const { tried } = await order(children);
    expect(tried).toEqual(['namespace', 'secret', 'service', 'deployment', 'custom']);
  });

  it('is applied in the order that is asked for, against that of the kinds', async () => {
    const service = child(Service, { metadata: { name: 'service' } });
    const { tried } = await order({ map: map('map', ['service']), service });
    expect(tried).toEqual(['service', 'map']);
  });

  it('gives each child back under its name', async () => {
    const applied = await applyChildren({ a: map('x'), b: map('y') }, async ({ manifest }) => manifest as ConfigMap);
    expect(applied).toMatchObject({ a: { metadata: { name: 'x' } }, b: { metadata: { name: 'y' } } });
  });

  it('is applied as far as it can be: a failure keeps back only those that need the failed one', async () => {
    const children = { a: map('a'), b: map('b', ['a']), c: map('c', ['b']), d: map('d'), e: map('e', ['d']) };
    const { tried, error } = await order(children, ['a']);
    expect(tried.sort()).toEqual(['a', 'd', 'e']);
    expect(error?.failed.map(({ name, heldBackBy }) => [name, heldBackBy])).toEqual([
      ['a', undefined],
      ['b', 'a'],
      ['c', 'b'],
    ]);
    expect(error?.message).toBe('ConfigMap a: no a; ConfigMap b waits for "a"; ConfigMap c waits for "b"');
  });

  it('throws one error for all failures, with the only one as its cause', async () => {
    const one = await order({ a: map('a'), b: map('b') }, ['a']);
    expect(one.error?.cause).toMatchObject({ message: 'no a' });
    const both = await order({ a: map('a'), b: map('b') }, ['a', 'b']);
    expect(both.error?.cause).toBeInstanceOf(AggregateError);
  });

  it.each([
    ['waits for itself', { a: map('a', ['a']) }, 'a after a'],
    ['goes round in circles', { a: map('a', ['b']), b: map('b', ['c']), c: map('c', ['b']) }, 'b after c after b'],
    ['waits for what is not there', { a: map('a', ['b']) }, 'a comes after "b"'],
  ])('is refused before anything is sent when it %s', async (_, children, message) => {
    const { tried, error } = await order(children);
    expect(error?.message).toContain(message);
    expect(tried).toEqual([]);
  });

  it('never applies a child before, or without, those that it comes after', async () => {
    // Each child may come after any of those with a smaller number: no circles.
    const graphs = fc
      .array(fc.tuple(fc.constantFrom(ConfigMap, Service, Deployment), fc.array(fc.nat(8)), fc.boolean()), {
        maxLength: 9,
      })
      .map((nodes) => nodes.map(([type, after, fails], i) => ({ type, fails, after: after.filter((j) => j < i) })));
    await fc.assert(
      fc.asyncProperty(graphs, async (nodes) => {
        const children = nodes.map(({ type, after }, i): [string, Child] => [
          `n${i}`,
          child(type as typeof ConfigMap, { metadata: { name: `n${i}` } }, { after: after.map((j) => `n${j}`) }),
        ]);
        const failing = nodes.flatMap(({ fails }, i) => (fails ? [`n${i}`] : []));
        const { tried, error } = await order(Object.fromEntries(children), failing);
        const needs = children.flatMap(([name, { options }]) => (options.after ?? []).map((need) => ({ name, need })));
        const met = needs.filter(({ name }) => tried.includes(name));
        expect(met.filter(({ name, need }) => tried.indexOf(need) > tried.indexOf(name))).toEqual([]);
        expect(met.filter(({ need }) => !tried.includes(need) || failing.includes(need))).toEqual([]);
        const accounted = new Set([...tried, ...(error?.failed.map(({ name }) => name) ?? [])]);
        expect(accounted.size).toBe(nodes.length);
      }),
    );
  });
});
