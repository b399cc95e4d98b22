/**
 * The ladder, from gentle to strong, and where to step onto it: that follows from the cause. At the end of each there is
 * a person.
 */
import type { Cause, Diagnosis } from '../diagnosis/cause.ts';
import { repairsOf, triesOf } from '../incident/incident.ts';
import type { Step } from '../spec.ts';
import { hasYielded, type Situation } from './situation.ts';
import { targetsOf } from './targets.ts';

/** What may help against each cause, in this order. Nothing helps against the network but a person. */
export const ladders: Readonly<Record<Cause, readonly Step[]>> = {
  dependency: [],
  network: [],
  certificate: [],
  configuration: [],
  // Whoever is asked the wrong question is not ill.
  'unproven-check': [],
  unknown: [],
  image: ['kubernetes'],
  unschedulable: ['kubernetes'],
  'missing-pods': ['kubernetes'],
  'node-lost': ['replace'],
  'node-unreachable': ['replace'],
  node: ['replace'],
  'packet-loss': ['replace'],
  'bad-revision': ['rollback'],
  saturation: ['scale'],
  oom: ['kubernetes', 'scale'],
  crash: ['kubernetes', 'replace', 'restart'],
  unready: ['kubernetes', 'replace', 'restart'],
  'crash-loop': ['replace', 'restart'],
  hang: ['replace', 'restart'],
  unreachable: ['replace', 'restart'],
  'wrong-answers': ['replace', 'restart'],
  slow: ['replace', 'restart'],
  // Only one that stands out: what all suffer from comes from elsewhere.
  intermittent: ['replace'],
};

/** Whether a step can be taken at all, as things are. */
const isPossible: Readonly<Record<Step, (situation: Situation, diagnosis: Diagnosis) => boolean>> = {
  kubernetes: () => true,
  // Where all fail, one after the other is restarted; to try it on one of them would only take longer.
  replace: (situation, { extent, cause }) => {
    const targets = targetsOf(situation, 'replace').length;
    return targets === 1 || (targets > 1 && !(extent === 'all' && ladders[cause].includes('restart')));
  },
  // To restart the one that was just replaced would be to replace it again.
  restart: ({ spec }, { extent }) => extent !== 'instance' || spec.recovery.restartHealthy,
  rollback: (situation) => healthyRevision(situation) !== undefined,
  scale: (situation) => scaledOut(situation) !== undefined,
};

/** The next step that is allowed, possible, and not used up; undefined when only a person is left. */
export function nextStep(situation: Situation, diagnosis: Diagnosis): Step | undefined {
  const { spec, incident } = situation;
  return ladders[diagnosis.cause].find((step) => {
    const { enabled, tries } = spec.recovery.steps[step];
    if (!enabled || triesOf(incident, step) >= tries) return false;
    if (isDisruptive(step) && repairsOf(incident) >= spec.recovery.repairs) return false;
    return isPossible[step](situation, diagnosis);
  });
}

/** Whether a step does something, other than wait. */
export function isDisruptive(step: Step): boolean {
  return step !== 'kubernetes';
}

/**
 * The revision to go back to: the last one seen healthy that still exists and was never seen bad. None when somebody else
 * chose the present one while we were at work, or brought it back after we had left it.
 */
export function healthyRevision(situation: Situation): string | undefined {
  const { history, seen } = situation;
  const { healthy, bad, left } = history.revisions;
  const { revision, revisions } = seen.workload;
  if (left.includes(revision) || hasYielded(situation)) return undefined;
  return healthy.findLast((one) => one !== revision && revisions.includes(one) && !bad.includes(one));
}

/** The replicas that a repair would scale to; undefined when it may not, or not further. */
export function scaledOut({ spec, seen }: Situation): number | undefined {
  const { desired, autoscaler } = seen.workload;
  if (!spec.scaling || autoscaler !== undefined || desired >= spec.scaling.max) return undefined;
  const { instances, share } = spec.scaling.out;
  return Math.min(spec.scaling.max, desired + Math.max(1, Math.min(instances, Math.ceil(desired * share))));
}
