/** When the runs of an object are due: all that timers, cron schedules and daemons differ in. */
import type { KubernetesObject } from '@kurator/client';

/** How a run went, as far as the rhythm cares. Times are milliseconds since 1970. */
export interface EndedRun {
  readonly due: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface NextRun {
  /** Undefined for never. May lie in the past: then at once. */
  readonly due: number | undefined;
  /** A time that is left out, because the run was still under way. */
  readonly overlapped?: number;
}

/** All of it is pure; whatever throws makes the object's schedule a bad one. */
export interface Rhythm<T extends KubernetesObject> {
  /** Changes when, and only when, an object's schedule does. */
  signature(object: T): string;
  /**
   * When it is first due; undefined for never. May lie in the past: then at once.
   *
   * @param isNew It came just now; otherwise it was there when we began to look, and may have had runs before.
   */
  first(object: T, now: number, isNew: boolean): number | undefined;
  /** Which of its times a run that begins now is for; undefined if it is too late for any. */
  claim(object: T, due: number, now: number): number | undefined;
  /** When it is due after a run. */
  next(object: T, run: EndedRun): NextRun;
  /** When a run must give way to the next; undefined for never. */
  replacedAt?(object: T, due: number): number | undefined;
  /** Whether its times are those of the wall clock, and must be found anew when that is set. */
  readonly followsDate: boolean;
}
