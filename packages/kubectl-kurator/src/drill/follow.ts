/** What the healer makes of a fault, as it is seen from outside: when an Incident is confirmed, and when it has recovered. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@kurator/client';
import { type Incident, incidents } from '../healer/kinds.ts';

const breath = 200;

/** How it went, by this machine's clock: others' may differ. */
export interface Course {
  readonly incident?: Incident;
  readonly detectedAt?: number;
  readonly recoveredAt?: number;
}

/** Of whom, and which of his incidents are old. */
export interface Followed {
  readonly namespace: string;
  readonly service: string;
  readonly known: ReadonlySet<string>;
}

const over = new Set(['recovered', 'dismissed', 'withdrawn']);

/** Goes on until it has recovered, or until a moment. */
export async function follow(
  client: Client,
  { namespace, service, known }: Followed,
  before: Course,
  options: { until: number; signal: AbortSignal; onNews?: (incident: Incident) => void },
): Promise<Course> {
  const { until, signal, onNews } = options;
  let course = before;
  const unfounded = new Set<string>();
  while (course.recoveredAt === undefined && Date.now() < until) {
    await delay(breath, undefined, { signal });
    const { items } = await client.list(incidents, { namespace, signal });
    const incident = items.find(
      ({ metadata: { name }, spec }) => spec.service === service && !known.has(name) && !unfounded.has(name),
    );
    if (!incident) continue;
    // The fault is still there: another look may confirm it.
    if (wasUnfounded(incident)) {
      unfounded.add(incident.metadata.name);
      course = {};
      continue;
    }
    if (incident.status?.stage !== course.incident?.status?.stage) onNews?.(incident);
    course = courseWith(course, incident, Date.now());
  }
  return course;
}

/** A suspicion that was dropped again. */
export function wasUnfounded({ status }: Incident): boolean {
  const isOver = status?.stage === 'dismissed' || status?.closedAt !== undefined;
  return isOver && status?.confirmedAt === undefined;
}

/** What is known now, from what was known and what is seen. */
export function courseWith(before: Course, incident: Incident, now: number): Course {
  const { stage = '', confirmedAt, closedAt } = incident.status ?? {};
  const detectedAt = before.detectedAt ?? (confirmedAt ? now : undefined);
  const isOver = over.has(stage) || closedAt !== undefined;
  const recoveredAt = before.recoveredAt ?? (isOver ? now : undefined);
  return {
    incident,
    ...(detectedAt !== undefined && { detectedAt }),
    ...(recoveredAt !== undefined && { recoveredAt }),
  };
}
