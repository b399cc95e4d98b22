/**
 * The eight rules of the design, each held over random histories: random services, faults, people, storms of trouble with
 * the operator itself. The referee judges by the truth, which the brain never sees, and every history by all eight; each
 * test only brings about more of what its rule is about.
 *
 * The suite runs the same histories each time. A breach that nobody knows yet is hunted for on purpose:
 *
 *     BRAIN_RUNS=20 npx vitest run --project unit operators/kurator/src/brain/simulation/rules.test.ts
 *
 * runs twenty times as many, and new ones each time. `BRAIN_REPLAY='{"seed":…,"path":"…"}'`, with what a failure prints,
 * and the same `BRAIN_RUNS`, runs that one again; `-t '4:'` runs one rule alone.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSpec, ServiceSpec } from '../spec.ts';
import { clusterDefaults, serviceSpec } from '../spec-defaults.ts';
import { minute, second } from '../time.ts';
import { type EventName, eventNames } from './events.ts';
import type { Chaos } from './operator.ts';
import type { Breach } from './referee.ts';
import { beginning, type Run, type Scenario, simulate } from './simulate.ts';
import type { Illness } from './world.ts';

const { BRAIN_RUNS, BRAIN_REPLAY } = process.env;
const times = Number(BRAIN_RUNS ?? 1);
const replay = JSON.parse(BRAIN_REPLAY ?? (BRAIN_RUNS ? '{}' : '{"seed":20261115}')) as {
  seed?: number;
  path?: string;
};
const length = 30 * minute;
const tick = 5 * second;

type Draft = typeof spec extends fc.Arbitrary<infer T> ? T : never;

interface Bias {
  /** Events that happen; all of them unless given. */
  readonly events?: readonly EventName[];
  readonly services?: number;
  readonly chaos?: Partial<Record<keyof Chaos, number>>;
  /** With which arguments; all of them unless given. */
  readonly args?: readonly number[];
  /** How long it lasts; half an hour unless given. */
  readonly minutes?: number;
  /** The cluster's budget holds nobody up. */
  readonly isRoomy?: boolean;
  /** How many a rolling update may take away before the new ones are ready; by chance unless given. */
  readonly unavailable?: number;
  /** What all specs have in common. */
  readonly spec?: Partial<Draft>;
}

const chances = fc.constantFrom(0, 0, 0.02, 0.1);

function chaosOf({ chaos = {} }: Bias): fc.Arbitrary<Chaos> {
  return fc.record({
    unknown: chances,
    loss: fc.constantFrom(0.2, 0.4),
    failing: fc.constantFrom(0, 0.2, 1),
    delay: fc.constantFrom(0, 4 * second, 20 * second),
    conflicts: chances,
    deaths: fc.constantFrom(0, 0, 0.005, 0.05),
    ...Object.fromEntries(Object.entries(chaos).map(([key, value]) => [key, fc.constant(value)])),
  });
}

const small = (max: number) => fc.integer({ min: 1, max });

const spec = fc.record({
  stateful: fc.boolean(),
  failAfter: fc.integer({ min: 1, max: 4 }),
  maxUnavailable: small(2),
  minHealthy: fc.option(fc.integer({ min: 0, max: 3 })),
  budget: small(4),
  repairs: small(5),
  tries: small(3),
  relapses: fc.integer({ min: 0, max: 4 }),
  approval: fc.constantFrom(false, false, true),
  throughService: fc.boolean(),
  canReplace: fc.constantFrom(true, true, false),
  restartHealthy: fc.constant<boolean>(false),
  onSilence: fc.constantFrom('proceed' as const, 'handOver' as const),
  onRefusal: fc.constantFrom('proceed' as const, 'handOver' as const),
  /** How many times as long as usual a step may take. */
  slowness: fc.constantFrom(1, 1, 1, 20),
  /** Which of the services before it this one depends on. */
  needs: fc.array(fc.nat(), { maxLength: 2 }),
});

/** In two namespaces. */
const nameOf = (index: number) => `${index % 2 === 0 ? 'a' : 'b'}/s${index}`;

function specOf(draft: Draft, index: number): ServiceSpec {
  const { tries, approval, slowness } = draft;
  const timing = { period: 10 * second, timeout: second, failAfter: draft.failAfter };
  return serviceSpec({
    name: nameOf(index),
    stateful: draft.stateful,
    checks: [
      { name: 'http', ...timing },
      ...(draft.throughService ? [{ name: 'all', through: 'service' as const, ...timing }] : []),
    ],
    dependsOn: index === 0 ? [] : [...new Set(draft.needs.map((one) => nameOf(one % index)))],
    coordination: { onSilence: draft.onSilence, onRefusal: draft.onRefusal },
    recovery: {
      maxUnavailable: draft.maxUnavailable,
      restartHealthy: draft.restartHealthy,
      ...(draft.minHealthy !== null && { minHealthy: draft.minHealthy }),
      budget: { repairs: draft.budget, per: 20 * minute },
      repairs: draft.repairs,
      relapses: draft.relapses,
      provenAfter: minute,
      stability: 2 * minute,
      patience: 5 * minute,
      approvalDeadline: 5 * minute,
      steps: {
        replace: { tries, approval, deadline: slowness * minute, enabled: draft.canReplace },
        restart: { tries, deadline: slowness * minute },
        rollback: { tries, approval, deadline: slowness * 2 * minute },
        kubernetes: { deadline: 30 * second },
      },
    },
  });
}

function scenarios(bias: Bias = {}): fc.Arbitrary<Scenario> {
  const { events = eventNames, services = 3, minutes = 30 } = bias;
  const length = minutes * minute;
  const event = fc.record({
    at: fc.integer({ min: 0, max: length }),
    name: fc.constantFrom(...events),
    service: fc.nat({ max: services }),
    arg: bias.args ? fc.constantFrom(...bias.args) : fc.nat({ max: 50 }),
  });
  return fc
    .record({
      drafts: fc.array(spec, { minLength: services, maxLength: services }),
      replicas: small(4),
      concurrent: small(3),
      repairs: small(8),
      chaos: chaosOf(bias),
      seed: fc.integer(),
      events: fc.array(event, { maxLength: 25, size: 'max' }),
      unavailable: bias.unavailable === undefined ? fc.constantFrom(undefined, 0, 1) : fc.constant(bias.unavailable),
    })
    .map(({ drafts, concurrent, repairs, unavailable, ...rest }) => {
      const budget = { repairs, per: 20 * minute };
      const cluster: ClusterSpec = bias.isRoomy
        ? { ...clusterDefaults, concurrent: 99 }
        : { ...clusterDefaults, concurrent, budget };
      return {
        ...rest,
        specs: drafts.map((draft, index) => specOf({ ...draft, ...bias.spec }, index)),
        nodes: 3,
        ...(unavailable !== undefined && { surge: { unavailable } }),
        cluster,
        length,
        tick,
      };
    });
}

/** Runs many scenarios of one bias, and fails with the first breach of any rule. */
function holds(bias: Bias, runs: number, also: (run: Run) => void = () => {}) {
  // Who lets a restart take those that are well has asked for it.
  const isWanted = ({ rule }: Breach) => bias.spec?.restartHealthy === true && (rule === 1 || rule === 6);
  fc.assert(
    fc.property(scenarios(bias), (scenario) => {
      const run = simulate(scenario);
      expect(run.referee.breaches.filter((breach) => !isWanted(breach))).toEqual([]);
      also(run);
    }),
    { numRuns: runs * times, ...replay },
  );
}

const faults: EventName[] = ['ill', 'ill', 'allIll', 'curse', 'heal', 'badDeploy', 'nodeSilent', 'nodeGone', 'nodesUp'];
/** Arguments by which each of three instances falls ill with what only checks, or what the watches show. */
const seenByChecks = [3, 11, 19, 5, 13, 21];
const seenByWatches = [1, 9, 17, 25];
/** Over by itself, or too mild to be sure of. */
const harmless = new Set<Illness | undefined>(['crash', 'slow', 'loss', 'saturated']);
const patience = 120_000 * times;

describe('the eight rules', () => {
  it('1: what was not observed is unknown, and unknown never causes a repair', { timeout: patience }, () => {
    const eyes: EventName[] = ['apiDown', 'apiUp', 'die', 'pause', 'unpause', 'blindChecker', 'seeingChecker'];
    holds({ events: [...faults, ...eyes], chaos: { unknown: 0.3 } }, 60);
    // What was seen before it went dark must not count after it.
    const dusk: EventName[] = ['ill', 'ill', 'pause', 'unpause', 'blindChecker', 'seeingChecker'];
    const quick: Partial<Draft> = { failAfter: 1, approval: false, canReplace: true };
    holds({ services: 1, events: dusk, args: seenByChecks, chaos: { unknown: 0, failing: 0 }, spec: quick }, 120);
    // Whoever has only just begun to look knows some, and not yet the others.
    const dawn: EventName[] = ['someIll', 'someIll', 'heal', 'die', 'die', 'die'];
    const crude: Partial<Draft> = { canReplace: false, repairs: 5, budget: 4 };
    holds({ services: 1, events: dawn, args: seenByWatches, chaos: { unknown: 0, failing: 0 }, spec: crude }, 200);
    // Nobody is ill, nobody can be seen: nothing is ever done.
    const blind: EventName[] = ['apiDown', 'apiUp', 'die', 'goodDeploy', 'blindChecker', 'replicas'];
    holds({ events: blind, chaos: { unknown: 0.8, loss: 0 } }, 30, ({ operator }) => {
      for (const { repairs } of operator.records.histories.values()) expect(repairs).toEqual([]);
    });
  });

  it('1: whom nobody reaches is not ill for that, nor is the last one to come back', { timeout: patience }, () => {
    const ways: EventName[] = ['cutOff', 'reconnect'];
    const chaos = { loss: 0, failing: 0 };
    const spec = { failAfter: 2 };
    const others: EventName[] = ['goodDeploy', 'replicas', 'die', 'apiDown', 'apiUp'];
    holds({ events: [...ways, ...others], chaos, spec }, 80, ({ operator }) => {
      for (const { repairs } of operator.records.histories.values()) expect(repairs).toEqual([]);
    });
    holds({ events: [...ways, ...ways, ...faults], chaos, spec }, 60);
    // Nor is a node taken for alive by who has answered before it was lost.
    const deaf: EventName[] = ['deaf', 'deaf', 'allDeaf', 'heal', 'nodeSilent', 'nodeMute', 'nodesUp', 'die', ...ways];
    holds({ events: deaf, chaos, spec: { ...spec, stateful: true, approval: false } }, 60);
  });

  it('1: a check that has never passed, or was edited since, never causes a repair', { timeout: patience }, () => {
    const edits: EventName[] = ['editChecks', 'editChecks', 'editChecks', 'die', 'goodDeploy', 'replicas'];
    // Nobody is ill: whatever the checks say, nothing is ever done.
    holds({ events: edits, chaos: { loss: 0 } }, 30, ({ operator }) => {
      for (const { repairs } of operator.records.histories.values()) expect(repairs).toEqual([]);
    });
    holds({ events: [...edits, ...faults] }, 40);
    const hangs: EventName[] = ['editChecks', 'ill', 'allIll', 'heal', 'die'];
    holds({ services: 1, events: hangs, args: [3, 11, 19], chaos: { unknown: 0 } }, 80);
  });

  it('2: never below the minimum of healthy instances because of a repair', { timeout: patience }, () => {
    holds({ events: [...faults, 'goodDeploy', 'flakyDeploy', 'replicas', 'die'] }, 80);
    // Where a restart may also take those that are well.
    const eager: Partial<Draft> = { restartHealthy: true, canReplace: false, maxUnavailable: 2, stateful: false };
    holds({ events: ['ill', 'ill', 'allIll', 'heal', 'die'], spec: eager }, 60);
    // Where a restart is a rolling update, and people deploy and restart in the middle of it.
    const rolled: Partial<Draft> = { canReplace: false, stateful: false, approval: false, needs: [], repairs: 5 };
    const crowd: EventName[] = ['allIll', 'allIll', 'heal', 'die', 'restart', 'goodDeploy', 'badDeploy', 'replicas'];
    for (const unavailable of [0, 1]) holds({ events: crowd, services: 2, unavailable, spec: rolled }, 60);
    // Where a roll-back would take along those that nobody has looked at yet.
    holds({ events: ['flakyDeploy', 'die', 'die', 'die', 'goodDeploy'], spec: { repairs: 5, budget: 4 } }, 60);
  });

  it('3: never more repairs than the budget, for one service and for the cluster', { timeout: patience }, () => {
    holds({ events: [...faults, 'resume', 'die'], services: 6 }, 120);
  });

  it('4: never the same failed repair for ever', { timeout: patience }, () => {
    holds({ events: [...faults, 'resume', 'approve', 'answer', 'apiDown', 'apiUp', 'die'] }, 120);
    // A fault that nothing helps against ends with a person, always.
    const forever: EventName[] = ['curse', 'ill', 'die'];
    const chaos = { unknown: 0, deaths: 0.002, conflicts: 0.02 };
    holds({ events: forever, isRoomy: true, chaos }, 50, endsWithPerson);
    // Nor does it wait for ever for a budget.
    const poor: Partial<Draft> = { budget: 1, repairs: 5, tries: 3, needs: [] };
    holds({ events: forever, isRoomy: true, chaos, services: 1, spec: poor }, 60, endsWithPerson);
  });

  it('5: never against a person', { timeout: patience }, () => {
    const deploys: EventName[] = ['badDeploy', 'badDeploy', 'redeploy', 'redeploy', 'goodDeploy', 'resume', 'restart'];
    holds({ events: [...faults, ...deploys, 'die'] }, 140);
    // Where nothing else happens, and somebody brings back what was left.
    holds({ events: deploys, services: 1, spec: { budget: 4, approval: false } }, 160);
  });

  it('6: never a dependant for its dependency’s fault', { timeout: patience }, () => {
    holds({ events: ['allIll', 'allIll', 'curse', 'heal', 'ill', 'flakyDeploy', 'die'], services: 5 }, 100);
    // Where it has a fault of its own, and its dependency another one a little later.
    holds({ events: ['allIll', 'allIll', 'heal', 'flakyDeploy', 'ill'], services: 2, spec: { needs: [0] } }, 120);
  });

  it('7: never silent, and never the same twice', { timeout: patience }, () => {
    holds({}, 150, ({ operator }) => {
      const ids = operator.records.notifications.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const notices = operator.records.notices.map(({ id }) => id);
      expect(new Set(notices).size).toBe(notices.length);
    });
  });

  it('8: never held up by the dead, and never for long without a person', { timeout: patience }, () => {
    const life: EventName[] = ['deleteTarget', 'recreateTarget', 'replaceTarget', 'retarget', 'spoilSpec', 'mendSpec'];
    const places: EventName[] = [
      'removeNamespace',
      'restoreNamespace',
      'removeNode',
      'addNode',
      'protect',
      'unprotect',
    ];
    const people: EventName[] = ['pause', 'unpause', 'approve', 'answer', 'goodDeploy', 'badDeploy', 'resume', 'die'];
    holds({ events: [...faults, ...life, ...life, ...places, ...people], services: 5, minutes: 60 }, 30);
    // Where targets go in the middle of their repairs, and the budget is small.
    const ends: EventName[] = [
      'curse',
      'allIll',
      'allIll',
      'deleteTarget',
      'recreateTarget',
      'removeNamespace',
      'spoilSpec',
    ];
    holds({ events: ends, services: 6, chaos: { failing: 0, unknown: 0 }, spec: { approval: false, needs: [] } }, 40);
    // Where nobody ever says go, or nobody says it any more.
    const waits: EventName[] = ['curse', 'allIll', 'pause', 'protect', 'goodDeploy', 'badDeploy', 'unpause'];
    const fewer: EventName[] = ['allIll', 'someIll', 'protectOthers', 'protectOthers', 'protect', 'badDeploy', 'die'];
    holds({ events: fewer, services: 2, minutes: 90, chaos: { failing: 0, unknown: 0 }, spec: { slowness: 20 } }, 25);
    holds({ events: waits, services: 2, minutes: 60, chaos: { failing: 0 } }, 25);
    // Where nobody can tell how it is.
    const mute: EventName[] = ['ill', 'nodeMute', 'nodeMute', 'nodeSilent', 'nodesUp', 'heal'];
    holds({ events: mute, services: 2, minutes: 60, chaos: { failing: 0, unknown: 0 } }, 25);
    const dark: EventName[] = ['ill', 'allIll', 'blindChecker', 'blindChecker', 'seeingChecker'];
    holds({ events: dark, services: 2, minutes: 60, chaos: { failing: 0 } }, 25);
  });
});

describe('the switch', () => {
  it('9: never does anything unless it is on, and goes on once it is', { timeout: patience }, () => {
    const turns: EventName[] = ['switchOff', 'switchObserve', 'switchOn', 'switchOn'];
    holds({ events: [...faults, ...turns, 'die', 'apiDown', 'apiUp', 'approve'], services: 4 }, 120);
    // Where a repair of several waves is under way when it is turned.
    const waves: Partial<Draft> = { canReplace: false, maxUnavailable: 1, approval: false };
    holds({ events: ['allIll', 'allIll', ...turns, 'heal'], services: 1, chaos: { unknown: 0 }, spec: waves }, 80);
  });
});

/** Whoever has been cursed for long with something that needs a repair has had a person called. */
function endsWithPerson({ operator, world }: Run): void {
  for (const { spec, curse, cursedSince = Number.POSITIVE_INFINITY } of world.services.values()) {
    const isLong = cursedSince - beginning < length / 2;
    if (!isLong || harmless.has(curse) || spec.dependsOn.length > 0) continue;
    const { incident } = operator.records.histories.get(spec.name) ?? {};
    expect(incident?.transitions.map(({ to }) => to)).toEqual(
      expect.arrayContaining([expect.stringMatching(/handedOver|quarantined/)]),
    );
  }
}
