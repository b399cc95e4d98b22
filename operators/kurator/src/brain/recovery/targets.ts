/** Which instances a step would take, and which of them now. */
import type { InstanceEvidence } from '../evidence/evidence.ts';
import { type Attempt, touchedBy } from '../incident/incident.ts';
import type { Step } from '../spec.ts';
import type { Situation } from './situation.ts';

const worstFirst = ['failing', 'impaired', 'healthy'];

/** Everything that a step would take away, the worst first. What is unknown is never among it. */
export function targetsOf({ spec, evidence, diagnosis }: Situation, step: Step): InstanceEvidence[] {
  const bad = evidence.instances.filter(({ health }) => health === 'failing' || health === 'impaired');
  if (step === 'replace') return worst(bad.filter(({ uid }) => diagnosis?.affected.includes(uid)));
  if (step !== 'restart') return [];
  const healthy = evidence.instances.filter(({ health }) => health === 'healthy');
  return worst(spec.recovery.restartHealthy ? [...bad, ...healthy] : bad);
}

/** Of those that are as bad, the one that the others of a StatefulSet wait for comes first. */
function worst(instances: InstanceEvidence[]): InstanceEvidence[] {
  const badness = ({ health }: InstanceEvidence) => worstFirst.indexOf(health);
  return instances.sort((a, b) => badness(a) - badness(b) || ordinalOf(a) - ordinalOf(b));
}

/**
 * A StatefulSet makes an instance anew only when all before it are ready: one that was taken away stays away for as long
 * as one before it fails.
 */
export function isHeldUp({ spec, evidence }: Situation): boolean {
  const { starting, unknown, terminating } = evidence.counts;
  if (!spec.stateful || starting + unknown + terminating > 0) return false;
  const there = new Set(evidence.instances.map(ordinalOf));
  const missing = Array.from({ length: evidence.desired }, (_, ordinal) => ordinal).filter((one) => !there.has(one));
  const failing = evidence.instances.filter(({ health }) => health === 'failing').map(ordinalOf);
  return missing.length > 0 && Math.min(...failing) < Math.max(...missing);
}

/** Its number in its StatefulSet; the same for all where they have none. */
function ordinalOf({ name }: InstanceEvidence): number {
  return Number(/-(\d+)$/.exec(name)?.[1] ?? 0);
}

/** What is still to be taken in an attempt that has begun: each instance that was there at its beginning, once. */
export function remainingOf(situation: Situation, attempt: Attempt): InstanceEvidence[] {
  const touched = touchedBy(attempt);
  const targets = attempt.step === 'rollback' ? stuck(situation) : targetsOf(situation, attempt.step);
  return targets.filter(({ uid }) => attempt.present.includes(uid) && !touched.has(uid));
}

/** Those that fail and are of another revision than is wanted: a StatefulSet waits for each of them for ever. */
function stuck({ spec, evidence, seen }: Situation): InstanceEvidence[] {
  if (!spec.stateful) return [];
  return evidence.instances.filter(
    ({ health, revision }) => health === 'failing' && revision !== seen.workload.revision,
  );
}

/**
 * Whether a restart is a rolling update: the workload can make new instances before the old ones go, and everybody who is
 * there would be restarted anyway. Where one is well, or not known to be ill, the others are taken away one by one.
 */
export function isRolled(situation: Situation, step: Step): boolean {
  if (step !== 'restart' || !situation.seen.workload.surge) return false;
  const targets = new Set(targetsOf(situation, step).map(({ uid }) => uid));
  const live = situation.evidence.instances.filter(({ health }) => health !== 'terminating');
  return live.length > 0 && live.every(({ uid }) => targets.has(uid));
}

/**
 * Those that a step takes away at first: a wave. Of a rolling update, those that may be missed before somebody is there in
 * their place: the workload's controller has its own order, so the best of them count.
 */
export function takenFirst(situation: Situation, step: Step): InstanceEvidence[] {
  const targets = targetsOf(situation, step);
  if (!isRolled(situation, step)) return wave(situation, targets);
  return targets.toReversed().slice(0, situation.seen.workload.surge?.unavailable ?? 0);
}

/** As many of these as may be taken at a time. */
export function wave({ spec }: Situation, targets: readonly InstanceEvidence[]): InstanceEvidence[] {
  return targets.slice(0, spec.stateful ? 1 : Math.max(1, spec.recovery.maxUnavailable));
}
