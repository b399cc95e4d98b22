import { describe, expect, it } from 'vitest';
import { clusterDefaults } from '../spec-defaults.ts';
import { minute, second } from '../time.ts';
import type { ServiceSummary } from './summary.ts';
import { refuses, survey, withOneMore } from './survey.ts';

const now = 1_000 * minute;

function services(count: number, failing: number, underRepair = 0, repairs: number[] = []): ServiceSummary[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `s${index}`,
    ...(index < failing && { failingSince: now - minute }),
    underRepair: index < underRepair,
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
    const view = look(services(20, 12)).view;
    expect(refuses(view, now)).toBeUndefined();
    const one = withOneMore(view, now);
    expect(refuses(one, now)).toBe('repairs begin at least 10 s apart, for there is a storm');
    expect(refuses(one, now + 10 * second)).toBeUndefined();
    const two = withOneMore(one, now + 10 * second);
    expect(refuses(two, now + minute)).toBe(
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
});
