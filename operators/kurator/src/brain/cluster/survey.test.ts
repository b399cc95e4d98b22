import { describe, expect, it } from 'vitest';
import { clusterDefaults } from '../spec-defaults.ts';
import { minute, second } from '../time.ts';
import type { ServiceSummary } from './summary.ts';
import { refuses, survey, viewFor, withOneMore } from './survey.ts';

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
