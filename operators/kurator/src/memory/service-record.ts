/**
 * What must outlive the operator, as it is kept in `status.memory`: the brain's history, and what the hands need in order
 * to go on where they stood. It is written before anything is done.
 */
import type { Notification } from '../brain/alerts/notification.ts';
import { freshHistory, type History } from '../brain/incident/history.ts';
import type { Answer, ForeignWrite } from '../brain/observation.ts';
import type { Millis } from '../brain/time.ts';
import type { Kurator } from '../resources/kurator.ts';
import type { Versions } from '../resources/revision.ts';

/** The workload as it was when it was last looked at: by this a change of somebody else's is known. */
export interface KnownWorkload {
  readonly uid: string;
  /** Its kind and name; missing where it was written by an older version. */
  readonly target?: string;
  readonly replicas: number;
  /** Checksums of its pod template, and of the rest of its spec. */
  readonly template: string;
  readonly rest: string;
  /** Which of its revisions run the same; missing where nobody has restarted it. */
  readonly versions?: Versions;
  /** The newest change by somebody else. */
  readonly foreignWrite?: ForeignWrite;
}

/** A template that a person wants and that was rolled back: kept away until the person wants something else. */
export interface HeldBack {
  /** A checksum of the template as the Kurator's spec makes it. */
  readonly wanted: string;
  /** The revision that runs instead. */
  readonly revision: string;
  /** The action that goes back to it, until it is known to be done. */
  readonly action?: string;
}

/** What is remembered of one Kurator. */
export interface ServiceRecord {
  readonly history: History;
  readonly workload?: KnownWorkload;
  readonly heldBack?: HeldBack;
  /** What dependants' hooks have answered, for the open incident. */
  readonly answers?: readonly Answer[];
  /** What people are to be told, until it is known that they were. */
  readonly untold?: readonly Notification[];
}

/** What a Kurator's status remembers; nothing yet for one that was never looked at. */
export function recordOf({ status }: Kurator, now: Millis): ServiceRecord {
  const { memory } = status ?? {};
  return memory?.history ? (memory as unknown as ServiceRecord) : { history: freshHistory(now) };
}

/** What people are still to be told, with what is new. */
export function stillUntold(
  { untold = [] }: Pick<ServiceRecord, 'untold'>,
  notifications: readonly Notification[],
  told: ReadonlySet<string>,
): Notification[] {
  return [...untold, ...notifications].filter(({ id }) => !told.has(id));
}
