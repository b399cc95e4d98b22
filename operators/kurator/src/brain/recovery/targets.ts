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

function worst(instances: InstanceEvidence[]): InstanceEvidence[] {
  return instances.sort((a, b) => worstFirst.indexOf(a.health) - worstFirst.indexOf(b.health));
}

/** What is still to be taken in an attempt that has begun: each instance that was there at its beginning, once. */
export function remainingOf(situation: Situation, attempt: Attempt): InstanceEvidence[] {
  const touched = touchedBy(attempt);
  return targetsOf(situation, attempt.step).filter(({ uid }) => attempt.present.includes(uid) && !touched.has(uid));
}

/** As many of these as may be taken at a time. */
export function wave({ spec }: Situation, targets: readonly InstanceEvidence[]): InstanceEvidence[] {
  return targets.slice(0, spec.stateful ? 1 : Math.max(1, spec.recovery.maxUnavailable));
}
