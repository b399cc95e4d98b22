/**
 * Alerts that wait for their sink, as plain data: in order, none twice, bounded. What is kept in the channel's status, and
 * how it changes.
 */
import type { Severity } from '../../brain/alerts/notification.ts';
import type { AlertChannel } from '../../resources/alert-channel.ts';
import type { Alert } from './alert.ts';
import { listed } from './alerting.ts';

/** One that waits. */
export interface Waiting {
  readonly alert: Alert;
  /** When it was put in. */
  readonly since: string;
}

/** A service whose page was gathered: what a digest says of it. */
export interface Member {
  /** Its alert's. */
  readonly thread: string;
  readonly title: string;
  readonly cause: string;
  readonly stage: string;
  readonly condition: Alert['condition'];
  readonly isWell?: true;
}

/** Pages that came for one reason within a while: the first few by themselves, the others gathered. */
export interface Digest {
  readonly group: string;
  /** When the first of them came. */
  readonly since: string;
  /** The threads that were told by themselves. */
  readonly alone: readonly string[];
  /** The thread that the digest is told under; missing while it has nobody. */
  readonly thread?: string;
  readonly members: readonly Member[];
  /** How often it was told. */
  readonly told: number;
  readonly toldAt?: string;
  /** Since when it has more to tell; missing when it has not. */
  readonly changedAt?: string;
  /** How the nodes and the control plane do. */
  readonly others: Alert['others'];
}

/** What a channel remembers. */
export interface Outbox {
  readonly waiting: readonly Waiting[];
  /** Ids that were put in before: what is told again after a crash is not told again. */
  readonly known: readonly string[];
  /** Threads that were told of by themselves and have not ended: what the sink may hold open. */
  readonly open: readonly string[];
  readonly digests: readonly Digest[];
  /** Ids of what was not put in by itself, as a digest tells it. */
  readonly gathered: readonly string[];
  /** How many were pushed out by others, unsent. */
  readonly dropped: number;
  readonly delivered: number;
  readonly lastDeliveredAt?: string;
  readonly lastError?: string;
}

/** How many wait at most, and how many bytes they have together: an object of the API server has 1.5 MB at most. */
export const capacity = { alerts: 100, bytes: 600_000 } as const;
/** How many ids are remembered. */
export const remembered = 300;
const LONGEST_ERROR = 1000;

/** What goes first when there is no room; the oldest of a kind before the others. A page goes last. */
const worth: Readonly<Record<Severity, number>> = { info: 0, warning: 1, resolved: 2, page: 3 };

export function outboxOf({ status }: Pick<AlertChannel, 'status'>): Outbox {
  const { memory, delivered = 0, lastDeliveredAt, lastError } = status ?? {};
  const kept = (memory ?? {}) as Partial<Outbox>;
  const { waiting = [], known = [], open = [], digests = [], gathered = [], dropped = 0 } = kept;
  return {
    waiting: waiting.map(({ alert, ...rest }) => ({ ...rest, alert: { ...alert, others: listed(alert.others) } })),
    known,
    open,
    digests,
    gathered,
    dropped,
    delivered,
    ...(lastDeliveredAt && { lastDeliveredAt }),
    ...(lastError && { lastError }),
  };
}

/** With one more; the same outbox if it was put in before. */
export function put(outbox: Outbox, alert: Alert, since: string): Outbox {
  if (isKnown(outbox, alert.id)) return outbox;
  const all = [...outbox.waiting, { alert, since }];
  const waiting = withinCapacity(all);
  const lost = all.length - waiting.length;
  return {
    ...outbox,
    waiting,
    known: [...outbox.known, alert.id].slice(-remembered),
    open: openAfter(outbox.open, alert),
    dropped: outbox.dropped + lost,
    ...(lost > 0 && { lastError: `${outbox.dropped + lost} alerts were dropped: too many waited for the sink` }),
  };
}

/** A digest ends with its members. */
function openAfter(open: readonly string[], { thread, status, service }: Alert): readonly string[] {
  const others = open.filter((one) => one !== thread);
  return status === 'resolved' || service === '*' ? others : [...others, thread].slice(-remembered);
}

/** Whether it was put in before; one that waits is known however long it has waited. */
export function isKnown({ known, waiting }: Outbox, id: string): boolean {
  return known.includes(id) || waiting.some(({ alert }) => alert.id === id);
}

/** Whether anything was told of the same incident by itself. */
export function knowsThread({ known, open, waiting }: Outbox, thread: string): boolean {
  const isOf = (id: string) => id.startsWith(`${thread}/`);
  return open.includes(thread) || known.some(isOf) || waiting.some(({ alert }) => isOf(alert.id));
}

/** Without the one that has arrived; the same outbox if it did not wait. */
export function arrived(outbox: Outbox, id: string, at: string): Outbox {
  const waiting = without(outbox, id);
  if (waiting === outbox.waiting) return outbox;
  const { lastError: _, ...rest } = outbox;
  return { ...rest, waiting, delivered: outbox.delivered + 1, lastDeliveredAt: at };
}

/** Without the one that was given up. */
export function givenUp(outbox: Outbox, id: string, error: string): Outbox {
  return inTrouble({ ...outbox, waiting: without(outbox, id) }, error);
}

/** The same, and why nothing is delivered. */
export function inTrouble(outbox: Outbox, error: string): Outbox {
  const lastError = error.slice(0, LONGEST_ERROR).toWellFormed();
  return outbox.lastError === lastError ? outbox : { ...outbox, lastError };
}

function without({ waiting }: Outbox, id: string): readonly Waiting[] {
  const rest = waiting.filter(({ alert }) => alert.id !== id);
  return rest.length === waiting.length ? waiting : rest;
}

function withinCapacity(all: readonly Waiting[]): readonly Waiting[] {
  let waiting = all;
  let bytes = sizeOf(waiting);
  while (waiting.length > capacity.alerts || bytes > capacity.bytes) {
    const least = Math.min(...waiting.map(({ alert }) => worth[alert.severity]));
    const index = waiting.findIndex(({ alert }) => worth[alert.severity] === least);
    bytes -= sizeOf(waiting[index]);
    waiting = waiting.toSpliced(index, 1);
  }
  return waiting;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
