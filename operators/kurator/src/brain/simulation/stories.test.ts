/** The stories of the resilience suite that are the brain's, on a simulated cluster: P is the period, N failAfter, T the timeout. */
import { describe, expect, it } from 'vitest';
import type { History } from '../incident/history.ts';
import type { Action, Incident } from '../incident/incident.ts';
import { freshScalingMemory, scale } from '../scaling/scale.ts';
import { clusterDefaults, type ServiceInput, serviceSpec } from '../spec-defaults.ts';
import { think } from '../think.ts';
import { day, hour, minute, second } from '../time.ts';
import type { EventName } from './events.ts';
import { ailments } from './events.ts';
import { beginning, calm, type Run, type Scenario, type SimEvent, simulate } from './simulate.ts';
import { type Illness, serves, startTime } from './world.ts';

const P = 10 * second;
const N = 3;
const T = second;
const http = { name: 'http', kind: 'http' as const, period: P, timeout: T, failAfter: N };

/** When the trouble begins: the first revision has proven itself by then. */
const at = 10 * minute;

function service(input: Partial<ServiceInput> = {}) {
  return serviceSpec({ name: 'web', checks: [http], ...input });
}

function happens(name: EventName, illness: Illness | number = 0, after = 0, place = 0): SimEvent {
  const arg = typeof illness === 'number' ? illness : ailments.indexOf(illness);
  return { at: at + after, name, service: place, arg };
}

function story(events: SimEvent[], change: Partial<Scenario> = {}): Run & { seen: Seen[] } {
  const seen: Seen[] = [];
  const run = simulate({
    specs: [service()],
    replicas: 3,
    nodes: 3,
    cluster: clusterDefaults,
    chaos: calm,
    seed: 1,
    tick: second,
    length: 30 * minute,
    ...change,
    events,
    after: (now) => {
      seen.push(look(now));
      change.after?.(now);
    },
  });
  expect(run.referee.breaches).toEqual([]);
  return { ...run, seen };
}

interface Seen {
  readonly at: number;
  readonly serving: Map<string, number>;
  readonly underRepair: number;
}

function look({ world, operator }: Run): Seen {
  const serving = new Map(
    [...world.services].map(([name, { instances }]) => [name, instances.filter((one) => serves(world, one)).length]),
  );
  const stages = [...operator.records.histories.values()].map(({ incident }) => incident);
  const underRepair = stages.filter(
    (incident) =>
      incident?.attempts.at(-1)?.step !== 'kubernetes' &&
      incident?.attempts.at(-1)?.result === undefined &&
      incident?.attempts.length,
  ).length;
  return { at: world.now - beginning, serving, underRepair };
}

function historyOf({ operator }: Run, name = 'web'): History {
  const history = operator.records.histories.get(name);
  if (!history) throw new Error(`no history of ${name}`);
  return history;
}

/** All actions of a service that were ever decided, from what it tells about them. */
function actionsOf(run: Run, name = 'web'): string[] {
  return [...(run.world.services.get(name)?.applied ?? [])];
}

function stagesOf(run: Run, name = 'web'): string[] {
  return run.operator.records.notifications.filter((one) => one.service === name).flatMap(({ lines }) => lines);
}

describe('story 1: SIGKILL of one container of three', () => {
  const run = story([happens('ill', 'crash')]);
  const [closed] = historyOf(run).closed;

  it('is noticed within a second, by the event', () => {
    expect((closed?.confirmedAt ?? 0) - (closed?.startedAt ?? 0)).toBeLessThanOrEqual(second);
  });

  it('is one incident, in which nothing is done: the kubelet restores it in time', () => {
    expect(historyOf(run).incidents).toBe(1);
    expect(closed).toMatchObject({ cause: 'crash', repairs: 0, end: 'recovered' });
    expect(actionsOf(run)).toEqual([]);
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

describe('story 3: a hang behind an open port', () => {
  const tcp = { name: 'tcp', kind: 'tcp' as const, period: P, timeout: T, failAfter: N };
  const run = story([happens('ill', 'hang')], { specs: [service({ checks: [http, tcp] })] });
  const [closed] = historyOf(run).closed;

  it('is noticed in time, while TCP stays green', () => {
    expect(closed?.cause).toBe('hang');
    expect((closed?.confirmedAt ?? 0) - (beginning + at)).toBeLessThanOrEqual(N * P + T);
  });

  it('has only the hung instance replaced, and never fewer serving than were left', () => {
    expect(actionsOf(run)).toEqual(['web#1/1.1']);
    expect(run.world.services.get('web')?.made).toBe(4);
    expect(Math.min(...run.seen.map(({ serving }) => serving.get('web') ?? 0))).toBe(2);
  });
});

describe('story 4: packet loss', () => {
  it('of 20 % to one pod is found within three windows in at least 99 of 100 trials, and that pod replaced once', () => {
    let found = 0;
    for (let seed = 0; seed < 100; seed++) {
      const run = story([happens('ill', 'loss')], { seed, tick: 2.5 * second, length: at + 12 * minute });
      const [closed] = [...historyOf(run).closed, historyOf(run).incident];
      const isRight = actionsOf(run).length === 1 && run.world.services.get('web')?.made === 4;
      if (isRight && closed) found++;
    }
    expect(found).toBeGreaterThanOrEqual(99);
  }, 60_000);

  it('on every path restarts nobody, and says that it is the network', () => {
    const run = story([happens('allIll', 'loss')], { tick: 2.5 * second });
    expect(actionsOf(run)).toEqual([]);
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
    expect(actionsOf(run, 'db').length).toBeGreaterThan(0);
    for (const { name } of dependants) {
      expect(actionsOf(run, name)).toEqual([]);
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
    const later = run.seen.filter((seen) => seen.at > stormSince - beginning + minute);
    expect(Math.max(...later.map(({ underRepair }) => underRepair))).toBeLessThanOrEqual(2);
    for (const { name } of specs) expect(historyOf(run, name).incident).toBeUndefined();
  });

  it('never goes below the minimum of healthy instances', () => {
    for (const { serving } of run.seen) for (const count of serving.values()) expect(count).toBeGreaterThanOrEqual(2);
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

  it('is let out after it has been well for long', () => {
    const later = story([...flaps, happens('heal', 0, hour)], { length: at + hour + 20 * minute });
    expect(historyOf(later).incident).toBeUndefined();
    expect(historyOf(later).closed).toHaveLength(1);
  });
});

describe('story 10: coordination', () => {
  const specs = (coordination: ServiceInput['coordination']) => [
    service({ name: 'db', coordination: { deadline: 30 * second, ...coordination } }),
    service({ name: 'mute', dependsOn: ['db'] }),
    service({ name: 'loath', dependsOn: ['db'] }),
  ];
  const hooks = [happens('answer', 1, -minute, 1), happens('answer', 1, -minute, 2)];
  const refusal = happens('answer', 3, 45 * second, 2);
  const told = (run: Run) => historyOf(run, 'db').incident ?? historyOf(run, 'db').closed[0];

  it('waits for one that never answers until the deadline, then goes on by the policy', () => {
    const run = story([...hooks, happens('allIll', 'hang')], { specs: specs({ onSilence: 'proceed' }) });
    const { closed, repairs } = historyOf(run, 'db');
    const waited = (repairs[0] ?? 0) - (closed[0]?.confirmedAt ?? 0);
    expect(waited).toBeGreaterThanOrEqual(30 * second);
    expect(waited).toBeLessThanOrEqual(30 * second + P);
  });

  it('calls a person when one refuses, and that is the policy', () => {
    const patient = specs({ onRefusal: 'handOver', deadline: 5 * minute });
    const run = story([...hooks, happens('curse', 'hang'), refusal], { specs: patient });
    expect(told(run)).toMatchObject({ stage: 'handedOver' });
    expect(historyOf(run, 'db').repairs).toEqual([]);
  });

  it('yields within a period to a person who deploys in the middle, and overwrites nothing', () => {
    const written = 40 * second;
    const run = story([happens('curse', 'hang'), happens('goodDeploy', 0, written)]);
    const { transitions } = historyOf(run).incident as Incident;
    const yielded = transitions.find(({ to }) => to === 'yielded');
    expect((yielded?.at ?? 0) - (beginning + at + written)).toBeLessThanOrEqual(P);
    expect(run.world.services.get('web')?.revision).toBe('r2');
    const next = transitions.find(({ at: time, to }) => to === 'repairing' && time > (yielded?.at ?? 0));
    expect((next?.at ?? Number.POSITIVE_INFINITY) - (yielded?.at ?? 0)).toBeGreaterThanOrEqual(minute);
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
    // That the first revision is well, and then that it has proven itself.
    expect(written).toHaveLength(2);
  }, 30_000);
});

describe('paused, dry run, maintenance', () => {
  it.each(['pause', 'dryRun', 'maintenance'] as const)('does nothing under %s, and goes on after it', (name) => {
    const run = story([happens(name, 9, -minute), happens('allIll', 'hang')], { length: at + 8 * minute });
    expect(actionsOf(run)).toEqual([]);
    expect(historyOf(run).incident?.confirmedAt).toBeDefined();
    const after = story([happens(name, 9, -minute), happens('allIll', 'hang'), happens('unpause', 0, 8 * minute)]);
    expect(historyOf(after).closed).toHaveLength(1);
    expect(actionsOf(after).length).toBeGreaterThan(0);
  });

  it('says in a dry run what it would do', () => {
    const run = story([happens('dryRun'), happens('ill', 'hang')]);
    expect(stagesOf(run).some((line) => line.startsWith('would be repaired: would replace web-'))).toBe(true);
  });

  it('tells nobody in maintenance, and keeps the record', () => {
    const run = story([happens('maintenance', 9, -minute), happens('ill', 'hang')], { length: at + 5 * minute });
    expect(run.operator.records.notifications.length).toBeGreaterThan(0);
    expect(run.operator.records.notifications.every(({ silenced }) => silenced === 'maintenance')).toBe(true);
  });
});

describe('stateful', () => {
  const specs = [service({ stateful: true })];

  it('starts nobody a second time while their node is only unreachable', () => {
    const run = story([happens('nodeSilent', 1)], { specs });
    expect(actionsOf(run)).toEqual([]);
    expect(historyOf(run).incident).toMatchObject({ stage: 'handedOver' });
  });

  it('moves them when the node is gone, or when it was told to', () => {
    expect(actionsOf(story([happens('nodeGone', 1)], { specs }))).toHaveLength(1);
    const told = [service({ stateful: true, recovery: { moveWhenUnreachable: true } })];
    expect(actionsOf(story([happens('nodeSilent', 1)], { specs: told }))).toHaveLength(1);
    expect(actionsOf(story([happens('nodeSilent', 1)]))).toHaveLength(1);
  });

  it('replaces one at a time', () => {
    const evicted: Action[] = [];
    story([happens('allIll', 'hang')], {
      specs: [service({ stateful: true, recovery: { maxUnavailable: 3 } })],
      brain: (input) => {
        const thought = think(input);
        evicted.push(...thought.actions);
        return thought;
      },
    });
    expect(evicted.length).toBeGreaterThanOrEqual(3);
    expect(evicted.every(({ targets }) => targets.length === 1)).toBe(true);
  });
});
