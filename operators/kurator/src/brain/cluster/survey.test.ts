import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../simulation/random.ts';
import { clusterDefaults } from '../spec-defaults.ts';
import { minute, second } from '../time.ts';
import type { ServiceSummary } from './summary.ts';
import { namespaceOf, refuses, survey, viewFor, withOneMore } from './survey.ts';

const now = 1_000 * minute;

function services(count: number, failing: number, underRepair = 0, repairs: number[] = []): ServiceSummary[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `s${index}`,
    ...(index < failing && { failingSince: now - minute }),
    ...(index < underRepair && { underRepairUntil: now + minute }),
    repairs: index === 0 ? repairs : [],
    asDependency: { name: `s${index}`, state: 'healthy' },
  }));
}

const look = (all: ServiceSummary[], before = {}, at = now) => survey(clusterDefaults, all, before, at);

describe('survey', () => {
  it.each([
    ['a few of many', 20, 5, false],
    ['60 % of twenty', 20, 12, true],
    ['all of three: too few to tell', 3, 3, false],
    ['four of four', 4, 4, true],
  ])('%s', (_, count, failing, isStorm) => {
    expect(look(services(count, failing)).view.stormSince !== undefined).toBe(isStorm);
  });

  it('counts only what began to fail lately', () => {
    const long = services(20, 12).map((service) => ({ ...service, failingSince: now - 11 * minute }));
    expect(look(long)).toMatchObject({ failing: 0, history: {} });
  });

  it('lets a storm last for a while after it has calmed down', () => {
    const { history } = look(services(20, 12));
    const soon = look(services(20, 0), history, now + 4 * minute);
    expect(soon.view.stormSince).toBe(now);
    expect(look(services(20, 0), soon.history, now + 5 * minute).view.stormSince).toBeUndefined();
  });

  it('allows two at once in a storm, with rest between them', () => {
    const before = look(services(20, 12));
    expect(refuses(before.view, now)).toBeUndefined();
    const one = withOneMore(before, 's0', now);
    expect(refuses(one.view, now)).toBe('repairs begin at least 10 s apart, for there is a storm');
    expect(refuses(one.view, now + 10 * second)).toBeUndefined();
    const two = withOneMore(one, 's1', now + 10 * second);
    expect(refuses(two.view, now + minute)).toBe(
      '2 services are under repair, and no more than 2 may be, for there is a storm',
    );
  });

  it('keeps the cluster’s budget', () => {
    const spent = Array.from({ length: clusterDefaults.budget.repairs }, () => now - minute);
    expect(refuses(look(services(9, 1, 0, spent)).view, now)).toBe(
      "the cluster's budget of 60 repairs in 1 h is spent",
    );
    const old = spent.map((at) => at - 60 * minute);
    expect(refuses(look(services(9, 1, 0, old)).view, now)).toBeUndefined();
  });

  it('allows no more than five at once without a storm', () => {
    expect(refuses(look(services(99, 5, 5)).view, now)).toContain('5 services are under repair');
  });

  it('does not count a repair that nobody has ended in its time', () => {
    const dead = services(9, 0, 5);
    expect(refuses(look(dead).view, now)).toContain('5 services are under repair');
    expect(refuses(look(dead, {}, now + minute + 1).view, now + minute + 1)).toBeUndefined();
  });
});

describe('the share of a namespace', () => {
  const inNamespaces = (mine: number, all: ServiceSummary[]) =>
    all.map((service, index) => ({ ...service, name: `${index < mine ? 'loud' : 'calm'}/${service.name}` }));

  it('leaves the others some of what may be repaired at once', () => {
    const found = look(inNamespaces(8, services(9, 0, 3)));
    expect(refuses(viewFor(found, 'loud/s7'), now)).toBe(
      '3 services of namespace loud are under repair, and its share is 3',
    );
    expect(refuses(viewFor(found, 'calm/s8'), now)).toBeUndefined();
    const more = withOneMore(withOneMore(found, 'calm/s8', now), 'calm/s9', now);
    expect(refuses(viewFor(more, 'calm/s10'), now)).toContain('5 services are under repair');
  });

  it('leaves the others some of the budget', () => {
    const spent = Array.from({ length: clusterDefaults.budget.repairs / 2 }, () => now - minute);
    const found = look(inNamespaces(8, services(9, 0, 0, spent)));
    expect(refuses(viewFor(found, 'loud/s7'), now)).toBe(
      "the share of namespace loud, 30 of the cluster's 60 repairs in 1 h, is spent",
    );
    expect(refuses(viewFor(found, 'calm/s8'), now)).toBeUndefined();
  });

  it('is all of it where there is no other namespace', () => {
    expect(refuses(viewFor(look(inNamespaces(9, services(9, 0, 4))), 'loud/s5'), now)).toBeUndefined();
  });

  it('is at least one repair', () => {
    const tiny = survey({ ...clusterDefaults, namespaceShare: 0 }, inNamespaces(8, services(9, 0)), {}, now);
    expect(refuses(viewFor(tiny, 'loud/s1'), now)).toBeUndefined();
    expect(refuses(viewFor(withOneMore(tiny, 'loud/s0', now), 'loud/s1'), now)).toContain('its share is 1');
  });
});

describe('the turns of namespaces', () => {
  const waiting = (name: string, repairs: number[], waitedAt = now): ServiceSummary => ({
    name,
    waitedAt,
    repairs,
    asDependency: { name, state: 'impaired' },
  });
  const one = { ...clusterDefaults, concurrent: 1 };

  it('come first to the one whose last repair is longer ago', () => {
    const found = survey(one, [waiting('loud/a', [now - minute]), waiting('calm/a', [])], {}, now);
    expect(refuses(viewFor(found, 'loud/a'), now)).toBe(
      'it is the turn of other namespaces, whose last repairs are longer ago',
    );
    expect(refuses(viewFor(found, 'calm/a'), now)).toBeUndefined();
  });

  it('hold nobody up where there is room for all, or for one that is not there to take its turn', () => {
    const both = [waiting('loud/a', [now - minute]), waiting('calm/a', [])];
    expect(refuses(viewFor(look(both), 'loud/a'), now)).toBeUndefined();
    const dead = survey(one, [waiting('loud/a', [now - minute]), waiting('calm/a', [], now - minute)], {}, now);
    expect(refuses(viewFor(dead, 'loud/a'), now)).toBeUndefined();
  });

  it('come to every namespace with work, however many there are and whoever asks first', () => {
    const turns = fc.record({
      namespaces: fc.integer({ min: 1, max: 20 }),
      services: fc.integer({ min: 1, max: 4 }),
      concurrent: fc.integer({ min: 1, max: 6 }),
      repairs: fc.integer({ min: 1, max: 30 }),
      share: fc.constantFrom(0, 0.5, 1),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(turns, (given) => {
        const { namespaces, repairs, concurrent } = given;
        // All others once, as fast as the budget and what may run at once allow.
        const bound = Math.ceil(namespaces / repairs) * per + (Math.ceil(namespaces / concurrent) + 1) * 2 * minute;
        expect(longestWait(given, 3 * bound)).toBeLessThanOrEqual(bound);
      }),
      { numRuns: 40 },
    );
  });
});

interface Turns {
  readonly namespaces: number;
  readonly services: number;
  readonly concurrent: number;
  readonly repairs: number;
  readonly share: number;
  readonly seed: number;
}

const per = 5 * minute;

/** The longest that a namespace waits where every service always needs a repair, and the first always ask first. */
function longestWait({ namespaces, services, concurrent, repairs, share, seed }: Turns, length: number): number {
  const spec = { ...clusterDefaults, concurrent, namespaceShare: share, budget: { repairs, per } };
  const summaries = new Map<string, ServiceSummary>();
  for (let index = 0; index < namespaces * services; index++) {
    const name = `n${index % namespaces}/s${index}`;
    summaries.set(name, { name, repairs: [], asDependency: { name, state: 'impaired' } });
  }
  const servedAt = new Map(Array.from({ length: namespaces }, (_, index) => [`n${index}`, now]));
  const random = createRandom(seed);
  let longest = 0;
  for (let time = now; time < now + length; time += 10 * second) {
    let found = survey(spec, [...summaries.values()], {}, time);
    for (const [name, service] of summaries) {
      // Not everybody looks in every round.
      if ((service.underRepairUntil ?? 0) >= time || random.chance(0.1)) continue;
      const { underRepairUntil: _under, waitedAt: _waited, ...rest } = service;
      if (refuses(viewFor(found, name), time)) {
        summaries.set(name, { ...rest, waitedAt: time });
        continue;
      }
      found = withOneMore(found, name, time);
      const recent = [...service.repairs, time].filter((at) => time - at < per);
      summaries.set(name, { ...rest, repairs: recent, underRepairUntil: time + random.next() * minute });
      servedAt.set(namespaceOf(name), time);
    }
    longest = Math.max(longest, ...[...servedAt.values()].map((at) => time - at));
  }
  return longest;
}
