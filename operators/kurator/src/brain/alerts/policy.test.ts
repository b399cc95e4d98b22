import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../evidence/evidence.ts';
import { freshHistory } from '../incident/history.ts';
import { givenBackReason, type Incident } from '../incident/incident.ts';
import { enter, impactOf, open } from '../incident/keeping.ts';
import { mayFollow, type Stage } from '../incident/stage.ts';
import { serviceSpec } from '../spec-defaults.ts';
import { hour, minute, second } from '../time.ts';
import type { Notification } from './notification.ts';
import { announce } from './policy.ts';

const start = 1_000 * hour;
const spec = serviceSpec({ name: 'web' });

const evidence = (condition: Evidence['condition']): Evidence => ({
  at: start,
  desired: 3,
  instances: [],
  symptoms: [{ kind: 'hang', confirmed: true, since: start, says: 'web-1 hangs' }],
  counts: { healthy: 0, impaired: 0, failing: 0, starting: 0, unknown: 0, terminating: 0 },
  condition,
});

function opened(condition: Evidence['condition'] = 'degraded'): Incident {
  const { incident } = open(spec, freshHistory(start), evidence(condition), start);
  if (!incident) throw new Error('no incident');
  return incident;
}

const occasion = (now: number, change = {}) => ({ spec, now, isStorm: false, isClosing: false, ...change });

/** Goes through stages, each at its time after the start, and tells what is due at each. */
function told(
  steps: [after: number, to: Stage][],
  incident = opened(),
): { notifications: Notification[]; incident: Incident } {
  let record = incident;
  const notifications: Notification[] = [];
  for (const [after, to] of steps) {
    record = enter(record, to, `now ${to}`, 'degraded', start + after);
    const said = announce(record, occasion(start + after));
    record = said.incident;
    if (said.notification) notifications.push(said.notification);
  }
  return { notifications, incident: record };
}

describe('announce', () => {
  it('lets a suspicion wait for company', () => {
    const { notification, until } = announce(opened(), occasion(start));
    expect(notification).toBeUndefined();
    expect(until).toBe(start + spec.alerts.groupWait);
    expect(announce(opened(), occasion(start + spec.alerts.groupWait)).notification).toMatchObject({
      severity: 'info',
    });
  });

  it('tells a confirmed fault at once, with the suspicion before it', () => {
    const { notifications } = told([[second, 'confirmed']]);
    expect(notifications).toMatchObject([
      { severity: 'warning', transitions: [1, 2], stage: 'confirmed', id: 'web#1/2' },
    ]);
  });

  describe('a person who was called', () => {
    const loud: [number, Stage][] = [
      [minute, 'confirmed'],
      [2 * minute, 'recovered'],
      [3 * minute, 'confirmed'],
      [4 * minute, 'proposed'],
    ];
    const called: [number, Stage][] = [...loud, [5 * minute, 'handedOver']];
    const stagesOf = (steps: [number, Stage][]) => told(steps).notifications.map(({ stage }) => stage);

    it('is not called again for as long as nothing else was heard', () => {
      const again = stagesOf([...called, [6 * minute, 'confirmed'], [7 * minute, 'handedOver']]);
      expect(again).toEqual(['confirmed', 'recovered', 'confirmed', 'proposed', 'handedOver']);
    });

    it('is called again after a word that it is well', () => {
      const later: [number, Stage][] = [
        [2 * hour, 'recovered'],
        [2 * hour + second, 'quarantined'],
      ];
      expect(stagesOf([...called, ...later]).slice(-3)).toEqual(['handedOver', 'recovered', 'quarantined']);
    });

    it.each([
      ['', givenBackReason],
      [', as older records say it', 'a person has given it back'],
    ])('is called again when it was given back%s, and still can not be helped', (_, reason) => {
      const { incident } = told(called);
      const back = enter(incident, 'confirmed', reason, 'degraded', start + 6 * minute);
      const { notifications } = told([[7 * minute, 'handedOver']], back);
      expect(notifications).toMatchObject([{ stage: 'handedOver', severity: 'page' }]);
    });
  });

  it('is limited, but what calls a person always comes through, with all that was held back', () => {
    const flaps = Array.from({ length: 6 }, (_, index): [number, Stage][] => [
      [(2 * index + 1) * minute, 'confirmed'],
      [(2 * index + 2) * minute, 'recovered'],
    ]).flat();
    const { notifications } = told([...flaps, [20 * minute, 'quarantined']]);
    expect(notifications).toHaveLength(spec.alerts.burst + 1);
    expect(notifications.at(-1)).toMatchObject({ severity: 'page', transitions: [6, 7, 8, 9, 10, 11, 12, 13, 14] });
  });

  it('tells the rest together once the limit allows', () => {
    const flaps: [number, Stage][] = Array.from({ length: 3 }, (_, index): [number, Stage][] => [
      [(2 * index + 1) * minute, 'confirmed'],
      [(2 * index + 2) * minute, 'recovered'],
    ]).flat();
    const { incident } = told(flaps);
    const { until } = announce(incident, occasion(start + 10 * minute));
    expect(until).toBe(start + minute + hour);
    expect(announce(incident, occasion(until ?? 0)).notification?.transitions).toEqual([6, 7]);
  });

  it('tells what is left when the incident is closed', () => {
    const record = enter(opened(), 'dismissed', 'nothing', 'up', start + second);
    const { notification } = announce(record, occasion(start + second, { isClosing: true }));
    expect(notification).toMatchObject({ severity: 'info', transitions: [1, 2] });
  });

  it('wakes somebody up once when the service is down, also between two changes of stage', () => {
    const { incident } = told([[second, 'confirmed']]);
    const down = impactOf(incident, evidence('down'), start + minute);
    const { notification, incident: paged } = announce(down, occasion(start + minute));
    expect(notification).toMatchObject({ severity: 'page', transitions: [], id: 'web#1/down' });
    expect(announce(paged, occasion(start + 2 * minute)).notification).toBeUndefined();
  });

  it('wakes nobody up for a dependant', () => {
    const down = impactOf(opened(), evidence('down'), start);
    const waits = enter(enter(down, 'confirmed', '', 'down', start), 'waitingForDependency', '', 'down', start);
    expect(announce({ ...waits, root: 'db#1' }, occasion(start)).notification).toMatchObject({
      severity: 'info',
      group: 'db#1',
    });
  });

  it('groups whoever waits for the budget of all, but not what they call for besides', () => {
    const { incident } = told([[second, 'confirmed']]);
    const hold = { by: 'cluster' as const, reason: 'the budget is spent', since: start, heldSince: start };
    const held = announce({ ...incident, hold }, occasion(start + spec.recovery.patience)).notification;
    expect(held).toMatchObject({ severity: 'page', group: 'held/cluster' });
    const down = impactOf({ ...incident, hold }, evidence('down'), start + minute);
    expect(announce(down, occasion(start + minute)).notification).toMatchObject({ id: 'web#1/down', group: 'web#1' });
  });

  it('groups a storm, and is silent in maintenance', () => {
    const record = enter(opened(), 'confirmed', '', 'degraded', start);
    expect(announce(record, occasion(start, { isStorm: true })).notification?.group).toBe('storm');
    const silent = { ...spec, maintenance: [{ from: start, to: start + hour }] };
    expect(announce(record, occasion(start, { spec: silent })).notification?.silenced).toBe('maintenance');
  });

  it('tells every change exactly once and in order, whatever happens when', () => {
    const walk = fc.array(fc.tuple(fc.nat({ max: 20 * minute }), fc.nat()), { maxLength: 60 });
    fc.assert(
      fc.property(walk, (waits) => {
        let record = opened();
        let now = start;
        const seqs: number[] = [];
        const say = (isClosing: boolean) => {
          const { incident, notification } = announce(record, occasion(now, { isClosing }));
          record = incident;
          seqs.push(...(notification?.transitions ?? []));
        };
        for (const [wait, choice] of waits) {
          now += wait;
          const ways = mayFollow[record.stage];
          const to = ways[choice % Math.max(1, ways.length)];
          if (to) record = enter(record, to, '', 'degraded', now);
          say(false);
        }
        say(true);
        expect(seqs).toEqual(record.transitions.map(({ seq }) => seq));
      }),
    );
  });
});
