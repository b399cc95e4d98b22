/** The stories of the resilience suite that are the brain's, on a simulated cluster: P is the period, N failAfter, T the timeout. */
import { describe, expect, it } from 'vitest';
import type { History } from '../incident/history.ts';
import type { ContainerObservation } from '../observation.ts';
import { windowSize } from '../perception/packet-loss.ts';
import { theOperator } from '../perception/perception.ts';
import { freshScalingMemory, scale } from '../scaling/scale.ts';
import type { ServiceSpec } from '../spec.ts';
import { clusterDefaults } from '../spec-defaults.ts';
import { think } from '../think.ts';
import { day, hour, minute, second } from '../time.ts';
import { beginning, calm, type SimEvent } from './simulate.ts';
import { at, doneTo, happens, historyOf, http, N, P, service, story, T } from './story.ts';
import { missedAfter, startTime } from './world.ts';

describe('story 1: SIGKILL of one container of three', () => {
  const run = story([happens('ill', 'crash')]);
  const [closed] = historyOf(run).closed;

  it('is noticed within a second, by the event', () => {
    expect((closed?.confirmedAt ?? 0) - (closed?.startedAt ?? 0)).toBeLessThanOrEqual(second);
  });

  it('is one incident, in which nothing is done: the kubelet restores it in time', () => {
    expect(historyOf(run).incidents).toBe(1);
    expect(closed).toMatchObject({ cause: 'crash', repairs: 0, end: 'recovered' });
    expect(doneTo(run)).toEqual([]);
  });
});

describe('a service that makes new instances before the old ones go', () => {
  const surge = { unavailable: 0 };

  it('is restarted by one rolling update when all of it hangs, and its revision is the same', () => {
    const run = story([happens('allIll', 'hang')], { surge });
    const { closed, revisions } = historyOf(run);
    expect(closed).toMatchObject([{ cause: 'hang', repairs: 1, end: 'recovered' }]);
    expect(doneTo(run)).toHaveLength(1);
    expect(run.world.services.get('web')).toMatchObject({ restarts: 1, revision: 'r1', made: 6 });
    expect(revisions).toEqual({ healthy: ['r1'], bad: [], left: [] });
  });

  it('has one of them replaced when one alone hangs', () => {
    const run = story([happens('ill', 'hang')], { surge });
    expect(run.world.services.get('web')).toMatchObject({ restarts: 0, made: 4 });
  });

  it('is a person’s where the new ones are no better: nothing is rolled back to what was before', () => {
    const run = story([happens('curse', 'hang')], { surge });
    expect(historyOf(run).incident?.stage).toBe('handedOver');
    expect(historyOf(run).revisions.bad).toEqual([]);
    expect(run.world.services.get('web')).toMatchObject({ restarts: 1, revision: 'r1' });
  });

  it('is left to whoever restarts it in the middle of a fault, and is no new revision for that', () => {
    const run = story([happens('curse', 'hang'), happens('restart', 0, 20 * second)], { surge });
    const { incident, revisions } = historyOf(run);
    expect(incident?.transitions.map(({ to }) => to)).toContain('yielded');
    expect(revisions.bad).toEqual([]);
  });
});

describe('story 2: a crash loop from a bad revision', () => {
  it('is confirmed in time, rolled back once, and never returned to', () => {
    const run = story([happens('badDeploy', 0)]);
    const history = historyOf(run);
    const [closed] = history.closed;
    expect(closed).toMatchObject({ cause: 'bad-revision', repairs: 1 });
    expect((closed?.confirmedAt ?? 0) - (closed?.startedAt ?? 0)).toBeLessThanOrEqual(N * P + T);
    const rollout = startTime + 3 * second;
    expect((closed?.recoveredAt ?? 0) - (history.repairs[0] ?? 0)).toBeLessThanOrEqual(rollout + 2 * P);
    expect(history.revisions).toMatchObject({ healthy: ['r1'], bad: ['r2'], left: ['r2'] });
    expect(run.world.services.get('web')?.revision).toBe('r1');
  });

  it('is not waited for to be helped by the replacement of the first that fell ill', () => {
    const run = story([
      happens('goodDeploy', 0, -minute),
      happens('ill', 'hang'),
      happens('allIll', 'hang', 20 * second),
    ]);
    const [closed] = historyOf(run).closed;
    expect(closed?.repairs).toBe(2);
    expect(run.world.services.get('web')?.revision).toBe('r1');
    const steps = run.operator.records.notifications.flatMap(({ lines }) => lines);
    expect(steps.join('\n')).toContain('replace can not help: the new revision is bad');
  });

  it('ends with a person after at most three tries when the roll-back can not be done', () => {
    const run = story([happens('badDeploy', 0)], { chaos: { ...calm, failing: 1 } });
    const { incident, repairs } = historyOf(run);
    expect(repairs.length).toBeLessThanOrEqual(3);
    expect(incident?.stage).toBe('handedOver');
  });

  it('ends with a person after at most three tries when the revision before is no better any more', () => {
    const run = story([happens('badDeploy', 0)], {
      after: ({ world }) => {
        const web = world.services.get('web');
        if (web && world.now - beginning >= at) web.badRevisions.set('r1', 'crash-loop');
      },
    });
    const { incident, repairs } = historyOf(run);
    expect(repairs.length).toBeLessThanOrEqual(3);
    expect(incident?.transitions.map(({ to }) => to)).toContain('handedOver');
  });

  it('is not fought over: what a person brings back stays', () => {
    const run = story([happens('badDeploy', 0), happens('redeploy', 1, 15 * minute)], { length: hour });
    expect(run.world.services.get('web')?.revision).toBe('r2');
    expect(historyOf(run).incident?.stage).toBe('handedOver');
    expect(historyOf(run).repairs).toHaveLength(1);
  });
});

describe('an outage of something that nobody has named, soon after a deploy', () => {
  const outage = [happens('goodDeploy', 0, -3 * minute), happens('curse', 'wrong')];

  it('is not called a bad revision for sure: nothing is rolled back, and a person is called', () => {
    const run = story(outage);
    expect(run.world.services.get('web')?.revision).toBe('r2');
    expect(historyOf(run).incident?.diagnosis).toMatchObject({ cause: 'bad-revision', confidence: 'possible' });
    expect(run.operator.records.notifications.map(({ severity }) => severity)).toContain('page');
    expect(historyOf(run).repairs).toEqual([]);
  });

  it('is taken for one where all that it depends on is named, and is well', () => {
    const specs = [service({ name: 'db' }), service({ dependsOn: ['db'] })];
    const events = outage.map((event) => ({ ...event, service: 1 }));
    const run = story(events, { specs });
    const rolledBack = historyOf(run).incident?.attempts.map(({ step }) => step);
    expect(rolledBack).toContain('rollback');
  });
});

describe('a registry that is down right after a deploy', () => {
  it('is told, and nothing is rolled back', () => {
    const run = story([happens('badDeploy', 3)], {
      length: at + 25 * minute,
      brain: (input) => {
        const unsaid = ({ isImageAtFault: _, ...container }: ContainerObservation) => container;
        const instances = input.seen.instances.map((one) => ({ ...one, containers: one.containers.map(unsaid) }));
        return think({ ...input, seen: { ...input.seen, instances } });
      },
    });
    expect(run.world.services.get('web')?.revision).toBe('r2');
    expect(historyOf(run)).toMatchObject({ repairs: [], revisions: { bad: [], left: [] } });
    expect(historyOf(run).incident).toMatchObject({ stage: 'handedOver', diagnosis: { cause: 'image' } });
  });

  it('is rolled back where the registry says that there is no such image', () => {
    expect(story([happens('badDeploy', 3)]).world.services.get('web')?.revision).toBe('r1');
  });
});

describe('instances that can not be made', () => {
  const events = [happens('quota', 1), happens('removeNode', 0, second)];

  it('are told with the reason, and nothing is done', () => {
    const run = story(events, { length: at + 15 * minute });
    expect(historyOf(run)).toMatchObject({ repairs: [], incident: { stage: 'handedOver' } });
    expect(historyOf(run).incident?.diagnosis).toMatchObject({
      cause: 'missing-pods',
      reasons: [expect.stringContaining('1 of 3 pods does not exist: exceeded quota')],
    });
  });

  it('are no fault where they come in time', () => {
    const run = story([...events, happens('quota', 99, 50 * second)], { length: at + 15 * minute });
    expect(historyOf(run).incidents).toBe(0);
  });
});

describe('story 3: a hang behind an open port', () => {
  const tcp = { name: 'tcp', kind: 'tcp' as const, period: P, timeout: T, failAfter: N };
  const run = story([happens('ill', 'hang')], { specs: [service({ checks: [http, tcp] })] });
  const [closed] = historyOf(run).closed;

  it('is noticed in time, while TCP stays green', () => {
    expect(closed?.cause).toBe('hang');
    expect((closed?.confirmedAt ?? 0) - (beginning + at)).toBeLessThanOrEqual(N * P + T);
  });

  it('has only the hung instance replaced, and never fewer serving than were left', () => {
    expect(doneTo(run)).toEqual(['web#1/1.1']);
    expect(run.world.services.get('web')?.made).toBe(4);
    expect(Math.min(...run.moments.map(({ serving }) => serving.get('web') ?? 0))).toBe(2);
  });
});

describe('story 4: packet loss', () => {
  it('of 20 % to one pod is found within three windows in at least 99 of 100 trials, and that pod replaced once', () => {
    let found = 0;
    for (let seed = 0; seed < 100; seed++) {
      const openings = new Set<number>();
      const run = story([happens('ill', 'loss')], {
        seed,
        tick: 2.5 * second,
        length: at + 12 * minute,
        brain: (input) => {
          const lastAt = input.perception.targets['web-1']?.paths[theOperator]?.lastAt ?? 0;
          if (lastAt > beginning + at && !input.history.incident) openings.add(lastAt);
          return think(input);
        },
      });
      // Besides the window that was being filled when it began.
      const isInTime = openings.size <= 3 * windowSize + windowSize;
      if (isInTime && doneTo(run).length === 1 && run.world.services.get('web')?.made === 4) found++;
    }
    expect(found).toBeGreaterThanOrEqual(99);
  }, 60_000);

  it('on every path restarts nobody, and says that it is the network', () => {
    const run = story([happens('allIll', 'loss')], { tick: 2.5 * second });
    expect(doneTo(run)).toEqual([]);
    expect(historyOf(run).incident).toMatchObject({ stage: 'handedOver', diagnosis: { cause: 'network' } });
    expect(run.operator.records.notifications.some(({ title }) => title.includes('the network'))).toBe(true);
  });

  it('of 1 % raises no alarm in 1,000 windows', () => {
    const run = story([happens('curse', 'loss')], {
      chaos: { ...calm, loss: 0.01 },
      tick: 20 * second,
      length: 10 * day,
    });
    expect(historyOf(run).incidents).toBe(0);
  }, 60_000);
});

describe('story 5: load, not a fault', () => {
  const scaling = { min: 3, max: 10, targets: [{ metric: 'cpu', target: 0.6 }] };

  it('repairs nobody in 1,000 checks', () => {
    const run = story([happens('curse', 'saturated')], {
      length: 6 * hour,
      tick: 5 * second,
      specs: [service({ scaling })],
    });
    expect(run.world.services.get('web')?.made).toBe(10);
    expect(run.world.services.get('web')?.instances.every(({ goneAt }) => goneAt === undefined)).toBe(true);
  }, 30_000);

  it('scales out within two periods, never in, and holds when the metric’s source is gone', () => {
    const spec = service({ scaling }).scaling;
    if (!spec) throw new Error('no scaling');
    let memory = freshScalingMemory(0);
    let replicas = 3;
    const steps: number[] = [];
    for (let now = 0; now <= hour; now += P) {
      const isKilled = now > 10 * minute;
      const instances = Array.from({ length: replicas }, (_, index) => ({
        uid: `${index}`,
        serving: true,
        ...(!isKilled && { usage: { at: now, metrics: { cpu: 0.99 } } }),
      }));
      const decision = scale(spec, { replicas, instances }, memory, now);
      memory = decision.memory;
      replicas = decision.replicas;
      steps.push(replicas);
    }
    expect(steps[2]).toBeGreaterThan(3);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(replicas).toBe(10);
  });
});

describe('story 6: a database down, and twenty dependants', () => {
  const dependants = Array.from({ length: 20 }, (_, index) => service({ name: `app${index}`, dependsOn: ['db'] }));
  const run = story([happens('allIll', 'hang')], { specs: [service({ name: 'db' }), ...dependants] });

  it('has one root, one page, and no dependant touched', () => {
    const pages = run.operator.records.notifications.filter(({ severity }) => severity === 'page');
    expect(pages.map(({ service: name }) => name)).toEqual(['db']);
    expect(doneTo(run, 'db').length).toBeGreaterThan(0);
    for (const { name } of dependants) {
      expect(doneTo(run, name)).toEqual([]);
      const groups = run.operator.records.notifications.filter((one) => one.service === name).map(({ group }) => group);
      expect(new Set(groups)).toEqual(new Set(['db#1']));
    }
  });

  it('has all twenty well within two periods after the root', () => {
    const root = historyOf(run, 'db').closed[0]?.recoveredAt ?? 0;
    for (const { name } of dependants) {
      const { closed, incidents } = historyOf(run, name);
      expect(incidents).toBe(1);
      expect((closed[0]?.recoveredAt ?? Number.POSITIVE_INFINITY) - root).toBeLessThanOrEqual(2 * P);
    }
  });

  it('tells each of them before the repair and after it', () => {
    for (const phase of ['before', 'after']) {
      const told = run.operator.records.notices.filter((one) => one.phase === phase).map(({ to }) => to);
      expect(told.toSorted()).toEqual(dependants.map(({ name }) => name).toSorted());
    }
  });
});

describe('a stateful pod that lets nobody in any more', () => {
  const db = service({ name: 'db', stateful: true });
  const bystander = service();

  /** How long after the beginning of the trouble something is done about it. */
  function repairedAfter(events: SimEvent[], specs: ServiceSpec[]): number {
    let after = Number.POSITIVE_INFINITY;
    story(events, {
      specs,
      after: (run) => {
        if (doneTo(run, 'db').length > 0) after = Math.min(after, run.world.now - beginning - at);
      },
    });
    return after;
  }

  it('is replaced at once where another pod of its node answers, for then the node lives', () => {
    expect(repairedAfter([happens('deaf')], [db, bystander])).toBeLessThan(30 * second);
  });

  it('is held for a minute where nobody else is there who could answer, for its node may be lost', () => {
    const after = repairedAfter([happens('deaf')], [db]);
    expect(after).toBeGreaterThanOrEqual(minute);
    expect(after).toBeLessThan(2 * minute);
  });

  it('is held on a node that is lost, whoever has answered there before', () => {
    expect(repairedAfter([happens('nodeSilent')], [db, bystander])).toBeGreaterThanOrEqual(missedAfter);
  });
});

describe('story 7: 60 % of twenty services fail together', () => {
  const specs = Array.from({ length: 20 }, (_, index) => service({ name: `s${index}` }));
  const events = specs.slice(0, 12).map((_, place) => happens('ill', 'hang', 0, place));
  let stormSince = Number.POSITIVE_INFINITY;
  const run = story(events, {
    specs,
    after: ({ operator }) => {
      stormSince = Math.min(stormSince, operator.records.cluster.stormSince ?? Number.POSITIVE_INFINITY);
    },
  });
  const confirmed = specs.slice(0, 12).map(({ name }) => historyOf(run, name).closed[0]?.confirmedAt ?? 0);
  const begun = specs.flatMap(({ name }) => historyOf(run, name).repairs).toSorted((a, b) => a - b);

  it('is a storm within a period of the detection', () => {
    expect(stormSince - (confirmed.toSorted((a, b) => a - b)[3] ?? 0)).toBeLessThanOrEqual(P);
  });

  it('has at most two repairs at once from then on, with rest between them, and all are well in the end', () => {
    const inStorm = begun.filter((time) => time >= stormSince);
    expect(inStorm.length).toBeGreaterThan(5);
    for (const [index, time] of inStorm.slice(1).entries()) {
      expect(time - (inStorm[index] ?? 0)).toBeGreaterThanOrEqual(clusterDefaults.storm.coolDown);
    }
    const later = run.moments.filter((moment) => moment.at > stormSince - beginning + minute);
    expect(Math.max(...later.map(({ underRepair }) => underRepair))).toBeLessThanOrEqual(2);
    for (const { name } of specs) expect(historyOf(run, name).incident).toBeUndefined();
  });

  it('never goes below the minimum of healthy instances', () => {
    for (const { serving } of run.moments)
      for (const count of serving.values()) expect(count).toBeGreaterThanOrEqual(2);
  });
});

describe('story 8: flapping every N + 1 periods for an hour', () => {
  const every = (N + 1) * P;
  const flaps = Array.from({ length: Math.floor(hour / every) }, (_, index) =>
    happens(index % 2 ? 'heal' : 'curse', 'wrong', index * every),
  );
  const run = story(flaps, { length: at + hour });

  it('is one incident, with at most three repairs, then quarantined', () => {
    const { incidents, repairs, incident } = historyOf(run);
    expect({ incidents, stage: incident?.stage }).toEqual({ incidents: 1, stage: 'quarantined' });
    expect(repairs.length).toBeLessThanOrEqual(3);
  });

  it('makes at most five notifications, which together tell everything', () => {
    const { notifications } = run.operator.records;
    expect(notifications.length).toBeLessThanOrEqual(5);
    expect(notifications.at(-1)).toMatchObject({ stage: 'quarantined', severity: 'page' });
    const told = notifications.flatMap(({ transitions }) => transitions);
    expect(told).toEqual(historyOf(run).incident?.transitions.map(({ seq }) => seq));
  });

  it('makes no more of them when it flaps faster than instances start, and hands over on the way', () => {
    for (const [period, offset] of [
      [1, 0],
      [1, 0.3],
      [4, 0],
      [4, 3],
    ] as const) {
      const turn = (N + 1) * period * second;
      const fast = { ...http, period: period * second, timeout: (period * second) / 2, recoverAfter: 1 };
      const restless = service({
        checks: [fast],
        startupGrace: 2 * second,
        recovery: { stability: minute, coolDown: second },
        alerts: { groupWait: 2 * second },
      });
      const flapping = Array.from({ length: 30 }, (_, index) =>
        happens(index % 2 ? 'heal' : 'curse', 'wrong', offset * second + index * turn),
      );
      const told = story(flapping, { specs: [restless], tick: second / 4, length: at + 30 * turn });
      expect(historyOf(told)).toMatchObject({ incidents: 1, incident: { stage: 'quarantined' } });
      expect(historyOf(told).repairs.length).toBeLessThanOrEqual(3);
      expect(told.operator.records.notifications.length).toBeLessThanOrEqual(5);
    }
  });

  it('is let out after it has been well for long', () => {
    const later = story([...flaps, happens('heal', 0, hour)], { length: at + hour + 20 * minute });
    expect(historyOf(later).incident).toBeUndefined();
    expect(historyOf(later).closed).toHaveLength(1);
  });
});

describe('story 12: nothing at all', () => {
  it('does nothing, tells nobody, and writes nothing, for a day', () => {
    const written: History[] = [];
    const run = story([], {
      tick: 10 * second,
      length: day,
      brain: (input) => {
        const thought = think(input);
        if (thought.history !== input.history) written.push(thought.history);
        return thought;
      },
    });
    expect(run.operator.records.notifications).toEqual([]);
    expect(historyOf(run).incidents).toBe(0);
    // That the check has passed, that the first revision is well, and then that it has proven itself.
    expect(written).toHaveLength(3);
  }, 30_000);
});

describe('one request in three fails', () => {
  const trials = Array.from({ length: 30 }, (_, seed) => seed);
  const change = (seed: number) => ({ seed, tick: 2.5 * second, length: at + 15 * minute });

  it('of one pod: it alone is replaced, in at least 29 of 30 trials', () => {
    const healed = trials.filter((seed) => {
      const run = story([happens('flaky')], change(seed));
      const { incidents, repairs } = historyOf(run);
      const isOther = run.world.services.get('web')?.instances.some(({ illness }) => illness !== undefined);
      return incidents >= 1 && repairs.length === 1 && !isOther && run.world.services.get('web')?.made === 4;
    });
    expect(healed.length).toBeGreaterThanOrEqual(29);
  }, 120_000);

  it('of every pod: a person is called in every trial, and nobody touched but who failed in a row at once', () => {
    const runs = Array.from({ length: 100 }, (_, seed) => story([happens('allFlaky')], change(seed)));
    for (const run of runs) {
      expect(run.operator.records.notifications.map(({ severity }) => severity)).toContain('page');
    }
    // Three failures in a row are what the spec calls failing, unless the others show that it may be chance: in one case of
    // twenty they show nothing until then (docs/designs/0011-proven-checks.md).
    expect(runs.filter((run) => doneTo(run).length === 0).length).toBeGreaterThanOrEqual(90);
    expect(Math.max(...runs.map((run) => doneTo(run).length))).toBeLessThanOrEqual(1);
    const causes = runs.map((run) => historyOf(run).incident?.diagnosis?.cause);
    expect(new Set(causes)).toEqual(new Set(['intermittent']));
  }, 120_000);
});
