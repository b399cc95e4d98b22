/** What a simulated cluster is made of: machines with a guard, a brain and postgres; the API server; the coordinator. Plain data, copied for each step. */

import type { CoordinatorView } from '../../src/brain/coordinator.ts';
import type { Making } from '../../src/brain/duty.ts';
import {
  type Disk,
  EMPTY_DISK,
  freshMemory,
  type InstanceView,
  type Memory,
  type Sent,
} from '../../src/brain/instance.ts';
import type { FreezeAnswer } from '../../src/brain/messages.ts';
import type { ClusterRecord, SyncSet } from '../../src/brain/record.ts';
import type { Times } from '../../src/brain/times.ts';

/** What postgres itself knows of timelines: where each began. */
export type History = readonly { readonly timeline: number; readonly start: number }[];

export interface SimulatedPostgres {
  is: 'primary' | 'standby' | 'stopped';
  /** SIGSTOP. */
  isFrozen: boolean;
  /** One for each time that it was started as primary. */
  session: number;
  /** Of a standby: whose session it receives from. */
  from: { readonly name: string; readonly session: number } | undefined;
  turnedAway: boolean;
  died: boolean;
  probedAt: number | undefined;
  startingSince: number | undefined;
  applied: SyncSet | undefined;
  /** How long the log was when `applied` was, and when it was started as primary. */
  appliedAt: number;
  startedAt: number;
  /** Clients have been led to it since it was started. */
  isOpen: boolean;
  /** How far its log is shown to clients. */
  visible: number;
  /** What standbys have sent, and what of it was read. */
  sent: Readonly<Record<string, number>>;
  acks: Readonly<Record<string, number>>;
}

/** A compare-and-set that is under way, from the version that was read. */
export interface Write {
  readonly version: number;
  readonly record: ClusterRecord;
  readonly sentAt: number;
  /** What the sender does once it knows that it was done. */
  readonly then: 'lease' | 'nothing';
}

export interface Machine {
  readonly name: string;
  clock: number;
  isPaused: boolean;
  brain: 'up' | 'paused' | 'down';
  disk: Disk;
  log: readonly number[];
  history: History;
  postgres: SimulatedPostgres;
  guardUntil: number;
  memory: Memory;
  read: { readonly record: ClusterRecord; readonly version: number } | undefined;
  write: Write | undefined;
  /** Requests for grants that are under way, by standby. */
  asks: Readonly<Record<string, Sent>>;
  /** Its data is being made. */
  task: Making | undefined;
  /** Postgres would start as a standby (`standby.signal`). */
  isStandbyData: boolean;
}

export interface Coordinator {
  clock: number;
  read: Machine['read'];
  sighting: CoordinatorView['sighting'];
  answers: readonly FreezeAnswer[];
  write: Write | undefined;
  switchTo: string | undefined;
}

export const STOPPED: SimulatedPostgres = {
  is: 'stopped',
  isFrozen: false,
  session: 0,
  from: undefined,
  turnedAway: false,
  died: false,
  probedAt: undefined,
  startingSince: undefined,
  applied: undefined,
  appliedAt: 0,
  startedAt: 0,
  isOpen: false,
  visible: 0,
  sent: {},
  acks: {},
};

export function newMachine(name: string, clock: number, times: Times): Machine {
  return {
    name,
    clock,
    isPaused: false,
    brain: 'up',
    disk: EMPTY_DISK,
    log: [],
    history: [],
    postgres: { ...STOPPED },
    guardUntil: 0,
    memory: freshMemory(EMPTY_DISK, clock, times),
    read: undefined,
    write: undefined,
    asks: {},
    task: undefined,
    isStandbyData: false,
  };
}

export const copyMachine = (machine: Machine): Machine => ({ ...machine, postgres: { ...machine.postgres } });

/** How far commits are acknowledged to a primary by the set that it goes by. */
export function acknowledged({ log, postgres: { applied, acks } }: Machine): number {
  if (!applied) return 0;
  if (applied.k === 0) return log.length;
  const reached = applied.names.map((name) => acks[name] ?? 0).toSorted((a, b) => b - a);
  return Math.min(log.length, reached[applied.k - 1] ?? 0);
}

export const isLive = ({ isPaused, postgres }: Machine): boolean =>
  !isPaused && !postgres.isFrozen && postgres.is !== 'stopped';

/** What its brain knows. */
export function viewOf(machine: Machine, times: Times): InstanceView {
  const { name, clock, read, disk, memory, log, postgres, history } = machine;
  const far = acknowledged(machine);
  const isPrimary = postgres.is === 'primary';
  return {
    name,
    now: clock,
    times,
    record: read?.record,
    disk,
    memory,
    postgres: {
      is: postgres.is,
      receives: postgres.from !== undefined,
      lsn: disk.data === 'whole' ? log.length : undefined,
      timeline: isPrimary ? history.at(-1)?.timeline : undefined,
      probedAt: postgres.probedAt,
      startingSince: postgres.startingSince,
      died: postgres.died,
      applied: postgres.applied,
      settled: isPrimary && far >= postgres.startedAt,
      confirmed: isPrimary && far >= postgres.appliedAt,
      turnedAway: postgres.turnedAway,
    },
  };
}

/** Whether two logs are one and its continuation. */
export const isPrefix = (a: readonly number[], b: readonly number[]): boolean =>
  a.length <= b.length && a.every((entry, i) => b[i] === entry);

/** What postgres says to a standby that wants to go on from there: by timelines and their starts, for it knows of no epochs. */
export function letsIn(primary: Machine, standby: Machine): boolean {
  const timeline = standby.history.findLast(({ start }) => start < standby.log.length)?.timeline;
  const at = primary.history.findIndex((one) => one.timeline === timeline);
  const next = primary.history[at + 1];
  return at >= 0 && standby.log.length <= (next?.start ?? primary.log.length);
}

/** What pg_rewind makes of it; undefined: it says that there is nothing to do. */
export function rewound(primary: Machine, standby: Machine): Pick<Machine, 'log' | 'history'> | undefined {
  const { log, history } = primary;
  return standby.history.at(-1)?.timeline === history.at(-1)?.timeline ? undefined : { log, history };
}
