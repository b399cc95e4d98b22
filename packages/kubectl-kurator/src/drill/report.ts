/** What a drill has shown, as data. Pure. */
import type { Pod } from '@kurator/client';
import type { Incident } from '../healer/kinds.ts';
import type { FaultName } from './faults.ts';
import type { Course } from './follow.ts';
import type { Requests } from './traffic.ts';

/** How it came out. For a load, which is no fault, it is `undisturbed` or `disturbed`. */
export type Outcome = 'recovered' | 'notRecovered' | 'notNoticed' | 'undisturbed' | 'disturbed';

/** What was done, and when. */
export interface Drill {
  readonly id: string;
  readonly fault: FaultName;
  /** `namespace/name`. */
  readonly service: string;
  /** Whose fault it was, where it was not the service's own. */
  readonly dependency?: string;
  /** What was done, in words. */
  readonly did: string;
  /** Pods that it was done to. */
  readonly pods: readonly string[];
  /** RFC 3339. */
  readonly startedAt: string;
  readonly deadlineSeconds: number;
}

/** What the Incident says. */
export interface Told {
  readonly name: string;
  readonly cause?: string;
  readonly confidence?: string;
  readonly reasons: readonly string[];
  readonly stages: readonly { at: string; stage: string; reason: string }[];
  readonly actions: readonly { step: string; targets: readonly string[]; reason: string; outcome: string }[];
}

/** All of it. */
export interface Report {
  readonly drill: Drill;
  readonly outcome: Outcome;
  /** Seconds from the fault. */
  readonly detectedAfter?: number;
  readonly recoveredAfter?: number;
  readonly requests: Requests;
  /** Seconds from the fault to the last request that was lost. */
  readonly lastLostAfter?: number;
  /** Pods that nothing was done to, and that were restarted or taken away all the same. */
  readonly disturbed: readonly string[];
  readonly incident?: Told;
  /** What the healer was about when the fault's time was over, where it had not recovered. */
  readonly decision?: string;
  /** What the service itself made of the fault of its dependency. */
  readonly dependant?: Told;
}

/** What is put together. */
export interface Findings {
  readonly drill: Drill;
  /** When the fault was there, in milliseconds. */
  readonly at: number;
  readonly course: Course;
  /** Whether the fault had to be taken away, for its time was over. */
  readonly isTimeOver: boolean;
  readonly requests: Requests;
  readonly disturbed: readonly string[];
  readonly dependant?: Course;
  readonly decision?: string | undefined;
}

export function reportOf(findings: Findings): Report {
  const { drill, at, course, requests, disturbed, dependant, decision } = findings;
  const after = (moment: number | undefined) =>
    moment === undefined ? undefined : Math.round(Math.max(0, moment - at) / 100) / 10;
  const detectedAfter = after(course.detectedAt);
  const recoveredAfter = after(course.recoveredAt);
  const lastLostAfter = 'lastLostAt' in requests ? after(requests.lastLostAt) : undefined;
  return {
    drill,
    outcome: outcomeOf(findings),
    ...(detectedAfter !== undefined && { detectedAfter }),
    ...(recoveredAfter !== undefined && { recoveredAfter }),
    requests,
    ...(lastLostAfter !== undefined && { lastLostAfter }),
    disturbed,
    ...(course.incident && { incident: told(course.incident) }),
    ...(decision && { decision }),
    ...(dependant?.incident && { dependant: told(dependant.incident) }),
  };
}

function outcomeOf({ drill, course, isTimeOver, disturbed }: Findings): Outcome {
  if (drill.fault === 'load') return disturbed.length === 0 ? 'undisturbed' : 'disturbed';
  if (course.detectedAt === undefined) return 'notNoticed';
  return course.recoveredAt === undefined || isTimeOver ? 'notRecovered' : 'recovered';
}

function told({ metadata, status = {} as NonNullable<Incident['status']> }: Incident): Told {
  const { cause, confidence, reasons = [], stages = [], actions = [] } = status;
  return {
    name: metadata.name,
    ...(cause && { cause }),
    ...(confidence && { confidence }),
    reasons,
    stages: stages.map(({ at, stage, reason }) => ({ at, stage, reason })),
    actions: actions.map(({ step, targets = [], reason, outcome = 'under way' }) => ({
      step,
      targets,
      reason,
      outcome,
    })),
  };
}

/** Pods that nothing was done to, and that are gone or were restarted. */
export function disturbedOf(before: readonly Pod[], targets: readonly Pod[], after: readonly Pod[]): string[] {
  const spared = before.filter((pod) => !targets.includes(pod));
  const now = new Map(after.map((pod) => [pod.metadata.uid, restartsOf(pod)]));
  return spared
    .filter((pod) => (now.get(pod.metadata.uid) ?? Number.POSITIVE_INFINITY) > restartsOf(pod))
    .map(({ metadata }) => metadata.name);
}

function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
}
