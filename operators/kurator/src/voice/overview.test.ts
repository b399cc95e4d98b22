import type { Node } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import type { ServiceSummary } from '../brain/cluster/summary.ts';
import { minute, second } from '../brain/time.ts';
import type { Look } from '../resources/lookup.ts';
import type { Others } from './alerts/alerting.ts';
import { Overview, type Sources } from './overview.ts';

const now = 1_800_000_000 * second;

type Ready = 'True' | 'False' | 'Unknown' | undefined;

/** A cluster of which only this matters: services by their state, nodes by what they say of being ready. */
function cluster(
  services: Readonly<Record<string, 'down' | ServiceSummary['asDependency']['state']>> = {},
  nodes: Readonly<Record<string, Ready>> = {},
  heardAt = now,
) {
  const summaries = Object.entries(services).map(([name, state]): ServiceSummary => {
    return { name, repairs: [], asDependency: { name, state: state === 'down' ? 'impaired' : state } };
  });
  const seen = Object.entries(nodes).map(([name, status]) => ({
    metadata: { name },
    status: { conditions: status ? [{ type: 'Ready', status }] : [] },
  })) as unknown as Node[];
  const sources: Sources = {
    services: summaries,
    conditionOf: (name) => (services[name] === 'down' ? 'down' : undefined),
    look: { list: () => seen } as unknown as Look,
    heardAt,
  };
  return sources;
}

const inPairs = (others: Others) => others.map(({ name, state }) => [name, state]);
const othersOf = (sources: Sources, name = 'shop/web') => inPairs(new Overview().others(name, sources, now));
const stateOf = (name: string, sources: Sources) => Object.fromEntries(othersOf(sources))[name];
const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 10)}`);
const all = <T>(names: readonly string[], value: T) => Object.fromEntries(names.map((name) => [name, value]));

describe('how the other services do', () => {
  it('is told the worst first, and by name among the same', () => {
    const services = {
      'shop/well': 'healthy',
      'shop/new': 'unknown',
      'shop/b': 'impaired',
      'shop/web': 'down',
      'shop/a': 'impaired',
      'shop/db': 'down',
    } as const;
    expect(othersOf(cluster(services)).slice(2)).toEqual([
      ['shop/db', 'down'],
      ['shop/a', 'impaired'],
      ['shop/b', 'impaired'],
      ['shop/new', 'unknown'],
      ['shop/well', 'healthy'],
    ]);
  });

  it('names sixteen, and counts the others by their state', () => {
    const services = {
      ...all(many('shop/ill', 10), 'impaired' as const),
      ...all(many('shop/new', 10), 'unknown' as const),
      ...all(many('shop/well', 3000), 'healthy' as const),
    };
    const told = othersOf(cluster(services)).slice(2);
    expect(told.slice(0, 16).map(([name]) => name)).toEqual([...many('shop/ill', 10), ...many('shop/new', 6)]);
    expect(told.slice(16)).toEqual([
      ['4 more unknown', 'unknown'],
      ['3000 more healthy', 'healthy'],
    ]);
  });

  it.each([
    ['among those that are named', 'shop/ill-10'],
    ['the last that there is room for', 'shop/ill-26'],
    ['among those that are only counted', 'shop/ill-29'],
  ])('leaves out the one that it is told about, once: %s', (_, name) => {
    const ill = many('shop/ill', 20);
    const told = othersOf(cluster(all(ill, 'impaired' as const)), name).slice(2);
    const rest = ill.filter((one) => one !== name);
    expect(told).toEqual([...rest.slice(0, 16).map((one) => [one, 'impaired']), ['3 more impaired', 'impaired']]);
  });

  it('calls down only what fails: a service that is well again is not, whatever was last seen of it', () => {
    const sources = { ...cluster({ 'shop/db': 'healthy' }), conditionOf: () => 'down' as const };
    expect(stateOf('shop/db', sources)).toBe('healthy');
  });

  it('fits into an alert, whatever fails', () => {
    const services = {
      ...all(many('shop/down', 100), 'down' as const),
      ...all(many('shop/ill', 100), 'impaired' as const),
      ...all(many('shop/new', 100), 'unknown' as const),
      ...all(many('shop/well', 100), 'healthy' as const),
    };
    const told = othersOf(cluster(services, all(many('n', 100), 'Unknown' as const)));
    expect(told.length).toBeLessThanOrEqual(30);
    expect(told).toEqual(
      expect.arrayContaining([
        ['84 more down', 'down'],
        ['100 more healthy', 'healthy'],
      ]),
    );
  });
});

describe('how the nodes do', () => {
  it('is told in one line while all are ready', () => {
    expect(othersOf(cluster({}, { n1: 'True', n2: 'True' }))).toEqual([
      ['control plane', 'answers'],
      ['nodes', '2 of 2 ready'],
    ]);
  });

  it('names those that are not, the silent ones first', () => {
    const nodes = { n4: 'False', n3: 'Unknown', n2: 'True', n1: undefined } as const;
    expect(othersOf(cluster({}, nodes)).slice(1)).toEqual([
      ['nodes', '1 of 4 ready'],
      ['node n1', 'silent'],
      ['node n3', 'silent'],
      ['node n4', 'not ready'],
    ]);
  });

  it('names no more than eight', () => {
    const told = othersOf(cluster({}, all(many('n', 80), 'False' as const)));
    expect(told.slice(2).map(([name]) => name)).toEqual(many('node n', 8));
  });

  it('is not told as if it were known where none was seen', () => {
    expect(stateOf('nodes', cluster())).toBe('none known');
  });
});

describe('how the control plane does', () => {
  it('is told by how long it was not heard, once that is no accident', () => {
    expect(stateOf('control plane', cluster({}, {}, now - 30 * second))).toBe('answers');
    expect(stateOf('control plane', cluster({}, {}, now - 2 * minute))).toBe('not heard for 2 min');
  });
});

describe('a storm of alerts', () => {
  it('has services and nodes looked at every two seconds, and the control plane each time', () => {
    const overview = new Overview();
    const before = cluster({ 'shop/db': 'healthy' }, { n1: 'True' });
    const after = cluster({ 'shop/db': 'down' }, { n1: 'False' }, now - minute);
    const told = (sources: Sources, later: number) =>
      Object.fromEntries(inPairs(overview.others('shop/web', sources, now + later)));
    expect(told(before, 0)).toMatchObject({ 'shop/db': 'healthy' });
    expect(told(after, 1999)).toMatchObject({ 'shop/db': 'healthy', 'control plane': 'not heard for 1 min' });
    expect(told(after, 2000)).toMatchObject({ 'shop/db': 'down', 'node n1': 'not ready' });
    // A clock that was set back must not keep it for ever.
    expect(told(before, -minute)).toMatchObject({ 'shop/db': 'healthy' });
  });
});
