/** How good it was: time to detect, time to recover, availability. Arithmetic over closed incidents. */
import type { ClosedIncident, History } from './incident/history.ts';
import type { Interval, Millis } from './time.ts';

/** The figures of one service over a time. */
export interface Figures {
  /** Confirmed faults. */
  readonly incidents: number;
  /** Of those, without any repair of ours. */
  readonly healedByThemselves: number;
  readonly repairs: number;
  /** Mean times from the first symptom; missing without an incident to measure. */
  readonly meanTimeToDetect?: Millis;
  readonly meanTimeToRecover?: Millis;
  /** From 0 to 1: the share of the time in which it was not down. */
  readonly availability: number;
  /** From 0 to 1: the share of the time in which it was neither down nor degraded. */
  readonly fullHealth: number;
}

/** The figures for an interval, from what the history still remembers. An incident counts where it began. */
export function figures(history: History, { from, to }: Interval): Figures {
  const watched = Math.max(0, to - Math.max(from, history.since));
  const all = [...history.closed, ...stillOpen(history, to)];
  const faults = all.filter(
    ({ startedAt, confirmedAt }) => confirmedAt !== undefined && startedAt >= from && startedAt < to,
  );
  const down = sum(faults.map(({ downMs }) => downMs));
  const degraded = sum(faults.map(({ degradedMs }) => degradedMs));
  const detect = mean(
    faults.flatMap(({ startedAt, confirmedAt }) => (confirmedAt === undefined ? [] : confirmedAt - startedAt)),
  );
  const recover = mean(
    faults.flatMap(({ startedAt, recoveredAt }) => (recoveredAt === undefined ? [] : recoveredAt - startedAt)),
  );
  return {
    incidents: faults.length,
    healedByThemselves: faults.filter(({ repairs, recoveredAt }) => repairs === 0 && recoveredAt !== undefined).length,
    repairs: sum(faults.map(({ repairs }) => repairs)),
    ...(detect !== undefined && { meanTimeToDetect: detect }),
    ...(recover !== undefined && { meanTimeToRecover: recover }),
    availability: share(watched, down),
    fullHealth: share(watched, down + degraded),
  };
}

/** The open incident as if it were closed now. */
function stillOpen({ incident }: History, now: Millis): ClosedIncident[] {
  if (!incident) return [];
  const { impact, attempts, id, startedAt, confirmedAt, recoveredAt } = incident;
  const running = Math.max(0, now - impact.since);
  return [
    {
      id,
      startedAt,
      closedAt: now,
      repairs: attempts.filter(({ step }) => step !== 'kubernetes').length,
      downMs: impact.downMs + (impact.condition === 'down' ? running : 0),
      degradedMs: impact.degradedMs + (impact.condition === 'degraded' ? running : 0),
      end: 'recovered',
      ...(confirmedAt !== undefined && { confirmedAt }),
      ...(recoveredAt !== undefined && { recoveredAt }),
    },
  ];
}

function share(watched: Millis, lost: Millis): number {
  return watched === 0 ? 1 : Math.min(1, Math.max(0, 1 - lost / watched));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : sum(values) / values.length;
}
