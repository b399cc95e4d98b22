/** The referee bites: for each rule a brain that breaks it, by believing something else than what is so. */
import { describe, expect, it } from 'vitest';
import type { Incident } from '../incident/incident.ts';
import type { CheckTrack } from '../perception/check-track.ts';
import type { Perception } from '../perception/perception.ts';
import type { ServiceSpec } from '../spec.ts';
import { clusterDefaults, type RecoveryInput, serviceSpec } from '../spec-defaults.ts';
import { type Thought, type ThoughtInput, think } from '../think.ts';
import { hour, minute, second } from '../time.ts';
import type { EventName } from './events.ts';
import type { Chaos } from './operator.ts';
import type { RuleNumber } from './referee.ts';
import { calm, type Scenario, simulate } from './simulate.ts';

type Brain = (input: ThoughtInput) => Thought;

interface Trial {
  readonly rule: RuleNumber;
  readonly sins: string;
  readonly brain: Brain;
  readonly events: EventName[];
  readonly recovery?: RecoveryInput;
  readonly chaos?: Partial<Chaos>;
  /** What it does about a service that can't be looked after; the brain's own unless given. */
  readonly withdraw?: Scenario['withdraw'];
  readonly surge?: Scenario['surge'];
  readonly length?: number;
  /** All of it happens to one service, within a minute; else to one after the other. */
  readonly isSudden?: boolean;
  /** To one after the other, but at the same moment. */
  readonly isAtOnce?: boolean;
  /** To these services, by their places. */
  readonly places?: readonly number[];
}

const blameUnknown: Brain = (input) => think({ ...input, perception: blamed(input.perception) });

function blamed({ targets }: Perception): Perception {
  const failing = (track: CheckTrack): CheckTrack =>
    track.lastAt > track.knownAt
      ? { ...track, verdict: 'failing', failures: 9, failingSince: track.lastAt, knownAt: track.lastAt }
      : track;
  const blame = <T>(record: Readonly<Record<string, T>>, change: (value: T) => T) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
  return { targets: blame(targets, (perceived) => ({ ...perceived, checks: blame(perceived.checks, failing) })) };
}

/** A brain that is given another recovery than the one that a person wants. */
function believing(recovery: Partial<ServiceSpec['recovery']>): Brain {
  return (input) => think({ ...input, spec: { ...input.spec, recovery: { ...input.spec.recovery, ...recovery } } });
}

const ignoreTries: Brain = (input) => {
  const { steps } = input.spec.recovery;
  const restart = { ...steps.restart, tries: 1000 };
  return believing({ repairs: 1000, relapses: 1000, steps: { ...steps, restart } })(input);
};

const ignorePeople: Brain = (input) => {
  const { foreignWrite: _, ...workload } = input.seen.workload;
  return think({ ...input, seen: { ...input.seen, workload } });
};

const ignoreDependencies: Brain = (input) => think({ ...input, spec: { ...input.spec, dependsOn: [] } });

const ignoreSwitch: Brain = (input) => think({ ...input, spec: { ...input.spec, mode: 'On' } });

const trials: Trial[] = [
  {
    rule: 1,
    sins: 'takes unknown for failing',
    brain: blameUnknown,
    events: ['pause', 'unpause'],
    chaos: { unknown: 0.5 },
  },
  {
    rule: 1,
    sins: 'believes a check that has never passed',
    brain: (input) => {
      const passed = input.spec.checks.map(({ name, definition }) => [name, definition]);
      return think({ ...input, history: { ...input.history, provenChecks: Object.fromEntries(passed) } });
    },
    events: ['editChecks', 'ill', 'editChecks', 'heal'],
  },
  {
    rule: 2,
    sins: 'believes that nobody must be left',
    brain: believing({ minHealthy: 0, maxUnavailable: 2, restartHealthy: true }),
    events: ['ill', 'ill', 'ill', 'allIll', 'heal'],
    recovery: { minHealthy: 2, steps: { replace: { enabled: false } } },
  },
  {
    rule: 1,
    sins: 'rolls all for the fault of one',
    brain: believing({ restartHealthy: true }),
    events: ['ill', 'ill', 'ill'],
    recovery: { steps: { replace: { enabled: false } } },
    surge: { unavailable: 0 },
  },
  {
    rule: 2,
    sins: 'believes that a rolling update leaves no gap',
    brain: (input) => {
      const { surge, ...workload } = input.seen.workload;
      const seen = { ...input.seen, workload: { ...workload, ...(surge && { surge: { unavailable: 0 } }) } };
      return believing({ restartHealthy: true })({ ...input, seen });
    },
    events: ['ill', 'ill', 'ill'],
    recovery: { minHealthy: 2, steps: { replace: { enabled: false } } },
    surge: { unavailable: 3 },
  },
  {
    rule: 3,
    sins: 'believes that its budget is endless',
    brain: believing({ budget: { repairs: 1000, per: hour } }),
    // Each service gets the second one when the first is repaired.
    events: ['ill', 'ill', 'ill', 'ill', 'ill', 'ill', 'ill', 'ill'],
    recovery: { budget: { repairs: 1, per: hour }, stability: 30 * second },
  },
  {
    rule: 3,
    sins: 'does not see the others’ repairs',
    brain: (input) => think({ ...input, cluster: { ...input.cluster, active: 0, recent: 0 } }),
    events: ['allIll', 'allIll', 'allIll', 'allIll'],
    isAtOnce: true,
  },
  {
    rule: 4,
    sins: 'never tires of trying',
    brain: ignoreTries,
    events: ['curse'],
    recovery: { budget: { repairs: 99, per: hour } },
  },
  {
    rule: 5,
    sins: 'does not see what others write',
    brain: ignorePeople,
    events: ['badDeploy', 'badDeploy', 'redeploy', 'badDeploy'],
    isSudden: true,
  },
  { rule: 6, sins: 'does not know what it depends on', brain: ignoreDependencies, events: ['curse', 'allIll'] },
  {
    rule: 7,
    sins: 'keeps what it does to itself',
    brain: (input) => ({ ...think(input), notifications: [] }),
    events: ['ill', 'heal'],
  },
  {
    rule: 7,
    sins: 'tells everything twice',
    brain: (input) => {
      const thought = think(input);
      return { ...thought, notifications: thought.notifications.flatMap((one) => [one, one]) };
    },
    events: ['ill', 'heal'],
  },
  {
    rule: 7,
    sins: 'changes its mind without a word',
    brain: (input) => {
      const { incident, ...history } = input.history;
      return think({
        ...input,
        history: incident ? { ...history, incident: { ...incident, stage: 'yielded' } } : history,
      });
    },
    events: ['allIll'],
  },
  { rule: 9, sins: 'does not see the switch', brain: ignoreSwitch, events: ['switchObserve', 'allIll', 'allIll'] },
  {
    rule: 8,
    sins: 'waits for a target that is gone',
    brain: think,
    withdraw: (_spec, history) => ({ history, notifications: [], notices: [] }),
    events: ['allIll', 'deleteTarget'],
    isSudden: true,
  },
  {
    rule: 8,
    sins: 'waits for ever for what nobody is at',
    brain: (input) => {
      const dependencies = input.seen.dependencies.map((one) => ({ ...one, isAttended: true }));
      return think({ ...input, seen: { ...input.seen, dependencies } });
    },
    events: ['dryRun', 'ill', 'curse'],
    places: [0, 0, 1],
    recovery: { patience: 5 * minute },
    length: 60 * minute,
  },
  {
    rule: 8,
    sins: 'suspects for ever',
    brain: (input) => {
      const { incident: { restlessSince: _, ...incident } = {}, ...history } = input.history;
      return think({ ...input, history: { ...history, ...('id' in incident && { incident: incident as Incident }) } });
    },
    events: ['ill', 'blindChecker'],
    isSudden: true,
    recovery: { patience: 5 * minute },
    length: 60 * minute,
  },
  {
    rule: 8,
    sins: 'waits for ever at a person’s word',
    brain: (input) => ({ ...think(input), notifications: [] }),
    events: ['pause', 'allIll'],
    isSudden: true,
    length: 40 * minute,
  },
];

function scenario(
  { events, recovery = {}, chaos, brain, surge, withdraw, isSudden, isAtOnce, length, places }: Trial,
  seed: number,
): Scenario {
  const spec = (name: string, dependsOn: string[]) =>
    serviceSpec({ name, dependsOn, checks: [{ name: 'http', period: 10 * second, timeout: second }], recovery });
  return {
    specs: [spec('db', []), spec('web', ['db']), spec('api', []), spec('job', [])],
    replicas: 3,
    nodes: 3,
    cluster: { ...clusterDefaults, concurrent: 1 },
    chaos: { ...calm, ...chaos },
    seed,
    tick: 5 * second,
    length: length ?? 25 * minute,
    events: events.map((name, index) => ({
      at: 7 * minute + (isAtOnce ? 0 : index) * (isSudden ? 15 * second : 1.5 * minute),
      name,
      service: places?.[index] ?? (isSudden ? seed : seed + index) % 4,
      arg: seed + index,
    })),
    brain,
    ...(withdraw && { withdraw }),
    ...(surge && { surge }),
  };
}

function rulesBroken(trial: Trial): Set<RuleNumber> {
  const broken = new Set<RuleNumber>();
  for (let seed = 0; seed < 12; seed++) {
    for (const { rule } of simulate(scenario(trial, seed)).referee.breaches) broken.add(rule);
  }
  return broken;
}

describe('the referee', () => {
  it.each(trials)('sees that rule $rule is broken by a brain that $sins', { timeout: 60_000 }, (trial) => {
    expect(rulesBroken(trial)).toContain(trial.rule);
    const { withdraw: _, ...own } = trial;
    expect(rulesBroken({ ...own, brain: think }), 'the real brain in the same scenarios').toEqual(new Set());
  });
});
