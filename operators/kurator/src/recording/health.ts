/** How a service is, in one word and in a few numbers: what `kubectl get kurator` shows. */
import { formatDuration } from '@kurator/sdk';
import type { Condition } from '../brain/evidence/evidence.ts';
import { figures } from '../brain/figures.ts';
import type { History } from '../brain/incident/history.ts';
import type { Stage } from '../brain/incident/stage.ts';
import type { ServiceSpec } from '../brain/spec.ts';
import type { Thought } from '../brain/think.ts';
import type { Millis } from '../brain/time.ts';
import type { Kurator } from '../resources/kurator.ts';

type Health = NonNullable<NonNullable<Kurator['status']>['health']>;

const byCondition: Readonly<Record<Condition, Health>> = {
  up: 'Healthy',
  degraded: 'Degraded',
  down: 'Down',
  unknown: 'Unknown',
};

/** Stages that say more than how the service is. */
const byStage: Readonly<Partial<Record<Stage, Health>>> = {
  suspected: 'Suspect',
  tellingDependants: 'Repairing',
  repairing: 'Repairing',
  verifying: 'Repairing',
  handedOver: 'HandedOver',
  quarantined: 'Quarantined',
};

/** One word. */
export function healthOf(
  { pause, mode }: Pick<ServiceSpec, 'pause' | 'mode'>,
  condition: Condition,
  stage: Stage | undefined,
): Health {
  if (pause || mode === 'Off') return 'Paused';
  return (stage && byStage[stage]) ?? byCondition[condition];
}

/** What the status says for people, but for what is about other services. */
export function healthFields(spec: ServiceSpec, { evidence, history, decision }: Thought, revision: string) {
  const { counts, desired, condition } = evidence;
  const healthyInstances = counts.healthy + counts.impaired;
  return {
    health: healthOf(spec, condition, history.incident?.stage),
    ready: `${healthyInstances}/${desired}`,
    healthyInstances,
    desiredInstances: desired,
    decision: `${decision.kind}: ${decision.reason}`.slice(0, 1024),
    revision,
  };
}

/** How good it was, since it is watched. */
export function qualityFields(history: History, now: Millis) {
  const { availability, meanTimeToDetect, meanTimeToRecover } = figures(history, { from: history.since, to: now });
  return {
    // Cut off, never rounded up: 99.999 % is not all of the time.
    availability: `${(Math.floor(availability * 100_000) / 1000).toFixed(3)} %`,
    ...(meanTimeToDetect !== undefined && { mttd: inSeconds(meanTimeToDetect) }),
    ...(meanTimeToRecover !== undefined && { mttr: inSeconds(meanTimeToRecover) }),
  };
}

/** A length of time as Kubernetes writes it, in whole seconds from ten on. */
export function inSeconds(length: Millis): string {
  const unit = length < 10_000 ? 100 : 1000;
  return formatDuration(Math.round(length / unit) * unit);
}
