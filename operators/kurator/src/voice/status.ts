/** What a Kurator's status says: for people, and what must outlive the operator. */

import { type ConditionClaim, conditionOf } from '@kurator/sdk';
import { roleInWords } from '../access/optional-roles.ts';
import type { Condition } from '../brain/evidence/evidence.ts';
import { figures } from '../brain/figures.ts';
import type { History } from '../brain/incident/history.ts';
import type { Stage } from '../brain/incident/stage.ts';
import type { ScalingDecision } from '../brain/scaling/scale.ts';
import type { ServiceSpec } from '../brain/spec.ts';
import type { Thought } from '../brain/think.ts';
import type { Millis } from '../brain/time.ts';
import { incidentName, inSeconds } from '../memory/incident-object.ts';
import type { Pass } from '../memory/pass.ts';
import type { HeldBack, ServiceRecord } from '../memory/service-record.ts';
import type { WantedStatus } from '../memory/write-status.ts';
import type { Kurator } from '../resources/kurator.ts';
import type { Relations } from '../senses/dependencies.ts';
import { noticeInWords } from './tell-dependants.ts';

/** What a status is made from, besides the thought. */
export interface StatusSources extends Pick<Pass, 'memory' | 'kurator' | 'now'> {
  readonly spec: ServiceSpec;
  readonly relations: Relations;
  /** What came of making it as described; undefined where it is somebody else's. */
  readonly served: Applied | undefined;
  /** What it still owns and describes no more. */
  readonly unreleased: () => readonly string[];
}

interface Applied {
  readonly problem?: string;
  readonly heldBack?: HeldBack;
}

/** After a thought. */
export function statusOf(
  found: StatusSources,
  thought: Thought,
  record: ServiceRecord,
  scaling: ScalingDecision | undefined,
): WantedStatus {
  const { spec, relations, kurator, now } = found;
  const { scaling: scaledBefore, dependencyNotice } = kurator.status ?? {};
  const { history } = thought;
  return {
    fields: {
      ...healthFields(spec, thought, found.memory.seen?.workload.revision ?? ''),
      ...qualityFields(history, now),
      ...incidentFields(history),
      ...dependencyFields(relations, dependencyNotice),
      scaling: scalingInWords(scaling, scaledBefore),
      memory: record,
    },
    conditions: [
      readiness(thought),
      resolved(relations),
      ...applying(found),
      ...permitted(found),
      ...proven(found, thought),
    ],
  };
}

/** It can't be looked after; what is remembered stays, unless there is something new. */
export function statusOfObstacle(
  kurator: Kurator,
  { reason, problem }: { readonly reason: string; readonly problem: string },
  record?: ServiceRecord,
): WantedStatus {
  const { conditions: _, observedGeneration: _generation, ...before } = kurator.status ?? {};
  const { incident: _incident, ...closed } = before;
  const remembered = record && { ...closed, ...incidentFields(record.history), memory: record };
  const decision = `idle: ${problem}`.slice(0, 1024);
  return {
    fields: { ...(remembered ?? before), health: 'Unknown', decision },
    conditions: [{ type: 'Ready', status: 'False', reason, message: problem }],
  };
}

function incidentFields({ incident, closed }: History) {
  const last = incident ?? closed.at(-1);
  return {
    ...(incident && { incident: incidentName(incident.id) }),
    ...(last && { lastIncident: incidentName(last.id), lastIncidentAt: new Date(last.startedAt).toISOString() }),
  };
}

function dependencyFields({ dependencies, notice }: Relations, before: string | undefined) {
  const states = dependencies.map(({ name, state }) => [name, state]);
  return {
    ...(states.length > 0 && { dependencies: Object.fromEntries(states) }),
    dependencyNotice: notice ? noticeInWords(notice) : before,
  };
}

const readyBy = {
  up: { status: 'True', reason: 'Healthy' },
  degraded: { status: 'False', reason: 'Degraded' },
  down: { status: 'False', reason: 'Down' },
  unknown: { status: 'Unknown', reason: 'NotKnown' },
} as const;

function readiness({ evidence, decision }: Thought): ConditionClaim {
  return { type: 'Ready', ...readyBy[evidence.condition], message: evidence.blind ?? decision.reason };
}

function resolved({ problem }: Relations): ConditionClaim {
  const type = 'DependenciesResolved';
  return problem ? { type, status: 'False', ...problem } : { type, status: 'True', reason: 'Resolved' };
}

/** Said only where it ever was otherwise: most need no optional role, and have addresses of their own. */
function permitted({ memory, kurator }: StatusSources): ConditionClaim[] {
  const type = 'Permitted';
  const missing = [...memory.missingRoles].sort();
  if (missing.length > 0) {
    return [{ type, status: 'False', reason: 'RoleMissing', message: missing.map(roleInWords).join('; ') }];
  }
  if (memory.refusedAddress) {
    const why = `checks are not sent to ${memory.refusedAddress} unless whoever installs Kurator allows it`;
    const how = 'kurator.hostNetworkChecks for pods in the network of their node, kurator.allowAddresses for all else';
    return [{ type, status: 'False', reason: 'AddressRefused', message: `${why}: ${how}` }];
  }
  return conditionOf(kurator.status?.conditions, type) ? [{ type, status: 'True', reason: 'Granted' }] : [];
}

/** Of a service that was made once, and is somebody else's now, that is said. */
function applying({ served, kurator, unreleased }: StatusSources): ConditionClaim[] {
  const type = 'Applied';
  if (served) return [applied(served)];
  if (!conditionOf(kurator.status?.conditions, type)) return [];
  const left = unreleased();
  if (left.length > 0) {
    const message = `spec.targetRef, but ${left.join(', ')} would still be deleted with this Kurator: somebody has changed the labels by which it is known, so take its owner reference away by hand`;
    return [{ type, status: 'False', reason: 'NotHandedOver', message: message.slice(0, 2048) }];
  }
  return [{ type, status: 'Unknown', reason: 'HandedOver', message: 'spec.targetRef: what runs is not ours to apply' }];
}

/** Said only where it ever was otherwise, too. */
function proven({ kurator }: StatusSources, { evidence }: Thought): ConditionClaim[] {
  const type = 'ChecksProven';
  const unproven = evidence.symptoms.find(({ kind, confirmed }) => kind === 'unproven' && confirmed);
  if (unproven) return [{ type, status: 'False', reason: 'NeverPassed', message: unproven.says }];
  return conditionOf(kurator.status?.conditions, type) ? [{ type, status: 'True', reason: 'Passed' }] : [];
}

function applied({ problem, heldBack }: Applied): ConditionClaim {
  const type = 'Applied';
  if (problem) return { type, status: 'False', reason: 'NotApplied', message: problem };
  if (!heldBack) return { type, status: 'True', reason: 'AsDescribed' };
  const message = `what is described was rolled back to revision ${heldBack.revision}, and stays so until spec.service changes`;
  return { type, status: 'False', reason: 'HeldBack', message };
}

/** For the status: what was done, or why it holds. Said anew only if it says something else, not for each new number. */
function scalingInWords(decision: ScalingDecision | undefined, before: string | undefined): string | undefined {
  if (!decision) return undefined;
  const { kind, replicas, reason } = decision;
  const words = kind === 'hold' ? `holds: ${reason}` : `scales ${kind} to ${replicas}: ${reason}`;
  const isSame = before !== undefined && shape(before) === shape(words) && kind === 'hold';
  return isSame ? before : words.slice(0, 1024);
}

function shape(words: string): string {
  return words.replace(/[\d.]+/g, '#');
}

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
function healthFields(spec: ServiceSpec, { evidence, history, decision }: Thought, revision: string) {
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
function qualityFields(history: History, now: Millis) {
  const { availability, meanTimeToDetect, meanTimeToRecover } = figures(history, { from: history.since, to: now });
  return {
    // Cut off, never rounded up: 99.999 % is not all of the time.
    availability: `${(Math.floor(availability * 100_000) / 1000).toFixed(3)} %`,
    ...(meanTimeToDetect !== undefined && { mttd: inSeconds(meanTimeToDetect) }),
    ...(meanTimeToRecover !== undefined && { mttr: inSeconds(meanTimeToRecover) }),
  };
}
