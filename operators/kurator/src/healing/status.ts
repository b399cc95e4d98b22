/** What a Kurator's status says: for people, and what must outlive the operator. */
import { type ConditionClaim, conditionOf } from '@kurator/sdk';
import type { History } from '../brain/incident/history.ts';
import type { ScalingDecision } from '../brain/scaling/scale.ts';
import type { Thought } from '../brain/think.ts';
import { healthFields, qualityFields } from '../recording/health.ts';
import { incidentName } from '../recording/incident-record.ts';
import type { WantedStatus } from '../recording/write-status.ts';
import type { Kurator } from '../resources/kurator.ts';
import { scalingInWords } from '../scaling/scale-service.ts';
import { toHandOver } from '../serving/hand-over.ts';
import type { Served } from '../serving/served.ts';
import type { Case } from './case.ts';
import type { NoCase } from './case-of.ts';
import type { Relations } from './dependencies.ts';
import type { Memory } from './memory.ts';
import { noticeInWords } from './notices.ts';
import { roleInWords } from './optional-roles.ts';

/** After a thought. */
export function statusOf(
  found: Case,
  thought: Thought,
  memory: Memory,
  scaling: ScalingDecision | undefined,
): WantedStatus {
  const { spec, relations, kurator, now } = found;
  const { scaling: scaledBefore, dependencyNotice } = kurator.status ?? {};
  const { history } = thought;
  return {
    fields: {
      ...healthFields(spec, thought, found.mind.seen?.workload.revision ?? ''),
      ...qualityFields(history, now),
      ...incidentFields(history),
      ...dependencyFields(relations, dependencyNotice),
      scaling: scalingInWords(scaling, scaledBefore),
      memory,
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
export function statusWithoutCase(
  kurator: Kurator,
  { reason, problem }: Pick<NoCase, 'reason' | 'problem'>,
  memory?: Memory,
): WantedStatus {
  const { conditions: _, observedGeneration: _generation, ...before } = kurator.status ?? {};
  const { incident: _incident, ...closed } = before;
  const remembered = memory && { ...closed, ...incidentFields(memory.history), memory };
  const decision = `rest: ${problem}`.slice(0, 1024);
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

/** Said only where it ever was otherwise: most need no optional role. */
function permitted({ mind, kurator }: Case): ConditionClaim[] {
  const type = 'Permitted';
  const missing = [...mind.missingRoles].sort();
  if (missing.length > 0) {
    return [{ type, status: 'False', reason: 'RoleMissing', message: missing.map(roleInWords).join('; ') }];
  }
  return conditionOf(kurator.status?.conditions, type) ? [{ type, status: 'True', reason: 'Granted' }] : [];
}

/** Of a service that was made once, and is somebody else's now, that is said. */
function applying({ served, kurator, context }: Case): ConditionClaim[] {
  const type = 'Applied';
  if (served) return [applied(served)];
  if (!conditionOf(kurator.status?.conditions, type)) return [];
  const left = toHandOver(kurator, context).map((child) => `${child.type.kind} ${child.name}`);
  if (left.length > 0) {
    const message = `spec.targetRef, but ${left.join(', ')} would still be deleted with this Kurator: somebody has changed the labels by which it is known, so take its owner reference away by hand`;
    return [{ type, status: 'False', reason: 'NotHandedOver', message: message.slice(0, 2048) }];
  }
  return [{ type, status: 'Unknown', reason: 'HandedOver', message: 'spec.targetRef: what runs is not ours to apply' }];
}

/** Said only where it ever was otherwise, too. */
function proven({ kurator }: Case, { evidence }: Thought): ConditionClaim[] {
  const type = 'ChecksProven';
  const unproven = evidence.symptoms.find(({ kind, confirmed }) => kind === 'unproven' && confirmed);
  if (unproven) return [{ type, status: 'False', reason: 'NeverPassed', message: unproven.says }];
  return conditionOf(kurator.status?.conditions, type) ? [{ type, status: 'True', reason: 'Passed' }] : [];
}

function applied({ problem, heldBack }: Served): ConditionClaim {
  const type = 'Applied';
  if (problem) return { type, status: 'False', reason: 'NotApplied', message: problem };
  if (!heldBack) return { type, status: 'True', reason: 'AsDescribed' };
  const message = `what is described was rolled back to revision ${heldBack.revision}, and stays so until spec.service changes`;
  return { type, status: 'False', reason: 'HeldBack', message };
}
