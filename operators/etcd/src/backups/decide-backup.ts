/**
 * What is done next for an EtcdBackup: one step, of what is known at this moment. Pure. A run is written down before its pod is made,
 * and its result before the pod goes: whoever comes after a crash goes on where it was left.
 */
import type { StatusFields } from '@kurator/sdk';
import type { Outcome } from './outcome.ts';
import type { EtcdBackup } from './resources.ts';
import { outdatedAfterNext, retained } from './retention.ts';
import { dueAt, nextTime } from './schedule.ts';
import type { Report } from './task.ts';

export type BackupStatus = StatusFields<EtcdBackup>;
export type Run = NonNullable<BackupStatus['run']>;

/** Everything that a decision is made of. */
export interface BackupSituation {
  readonly spec: Pick<EtcdBackup['spec'], 'schedule' | 'maxBackups' | 'verify' | 'paused'>;
  readonly status: Partial<BackupStatus>;
  readonly created: number;
  readonly now: number;
  /** Of the run's pod; undefined where there is none. */
  readonly pod: Outcome | undefined;
  /** Why none can be taken now; undefined if one can. */
  readonly obstacle: string | undefined;
  /** A key and a pod's name that are unused. */
  readonly fresh: { readonly key: string; readonly pod: string };
  /** How long a run may take in all. */
  readonly patience: number;
}

export type BackupStep =
  /** Writes down that there is a run, and nothing else. */
  | { readonly do: 'begin'; readonly run: Run; readonly why: string }
  /** Makes its pod. */
  | { readonly do: 'start'; readonly run: Run; readonly why: string }
  | { readonly do: 'record'; readonly report: Extract<Report, { ok: true }>; readonly why: string }
  | { readonly do: 'fail'; readonly why: string }
  | { readonly do: 'wait'; readonly why: string; readonly until?: number | undefined };

export function decideBackup(situation: BackupSituation): BackupStep {
  const { run } = situation.status;
  return run ? underWay(situation, run) : whenDue(situation);
}

function underWay({ pod, now, obstacle, patience }: BackupSituation, run: Run): BackupStep {
  if (pod?.is === 'done') return { do: 'record', report: pod.report, why: `${run.key} counts` };
  if (pod?.is === 'failed') return { do: 'fail', why: pod.why };
  if (now - Date.parse(run.startedAt) > patience) {
    return { do: 'fail', why: `it did not end in time; ${pod?.why ?? 'its pod is gone'}` };
  }
  if (pod) return { do: 'wait', why: pod.why };
  return obstacle ? { do: 'wait', why: obstacle } : { do: 'start', run, why: `takes ${run.key}` };
}

function whenDue(situation: BackupSituation): BackupStep {
  const { spec, status, created, now, obstacle } = situation;
  if (spec.paused) return { do: 'wait', why: 'paused' };
  const due = dueAt(spec.schedule, {
    created,
    lastStarted: timeOf(status.lastStarted),
    failures: status.failures ?? 0,
    lastFailed: timeOf(status.lastFailure?.at),
    has: (status.backups ?? []).length > 0,
  });
  if (due === undefined) return { do: 'wait', why: 'done' };
  if (due > now) return { do: 'wait', why: `the next one is due at ${new Date(due).toISOString()}`, until: due };
  if (obstacle) return { do: 'wait', why: obstacle };
  return { do: 'begin', run: freshRun(situation), why: 'one is due' };
}

function freshRun({ spec, status, now, fresh }: BackupSituation): Run {
  const old = outdatedAfterNext(status.backups ?? [], spec.maxBackups, spec.verify);
  const remove = [...old, ...(status.leftovers ?? [])];
  return { ...fresh, startedAt: new Date(now).toISOString(), remove };
}

/** The status once the step is done. */
export function statusAfter(situation: BackupSituation, step: BackupStep): BackupStatus {
  const { spec, status, now } = situation;
  const { run: before, ...rest } = status;
  const { backups = [], leftovers = [], failures = 0 } = rest;
  const kept = { ...rest, backups, leftovers, failures, step: step.why.slice(0, LONGEST_STEP) };
  switch (step.do) {
    case 'begin':
      return { ...kept, phase: 'Running', run: step.run, lastStarted: step.run.startedAt } as BackupStatus;
    case 'record': {
      const gone = new Set(step.report.removed ?? []);
      const { backup } = step.report;
      const { sha256: _sha256, etcdVersion: _version, ...entry } = backup ?? ({} as never);
      const there = backups.filter(({ key }) => !gone.has(key) && key !== entry.key);
      // What should have gone and has not goes with the next one.
      const all = [...there, entry];
      const stay = retained(all, spec.maxBackups);
      const stuck = all.filter((one) => !stay.includes(one)).map(({ key }) => key);
      const left = [...leftovers.filter((key) => !gone.has(key)), ...stuck];
      return {
        ...kept,
        ...nextOf(situation),
        phase: spec.schedule === undefined ? 'Succeeded' : 'Scheduled',
        backups: stay,
        leftovers: [...new Set(left)].slice(-MOST_LEFTOVERS),
        failures: 0,
        lastBackup: entry.key,
        lastBackupTime: entry.takenAt,
        lastRevision: entry.revision,
      } as BackupStatus;
    }
    case 'fail':
      return {
        ...kept,
        phase: 'Failed',
        leftovers: before ? [...leftovers, before.key].slice(-MOST_LEFTOVERS) : leftovers,
        failures: failures + 1,
        lastFailure: { at: new Date(now).toISOString(), why: step.why.slice(0, LONGEST_STEP) },
      } as BackupStatus;
    case 'start':
    case 'wait':
      return {
        ...kept,
        ...nextOf(situation),
        phase: phaseOf(situation),
        ...(before ? { run: before } : {}),
      } as BackupStatus;
  }
}

function phaseOf({ spec, status }: BackupSituation): BackupStatus['phase'] {
  if (status.run) return 'Running';
  if (spec.paused) return 'Paused';
  if ((status.failures ?? 0) > 0) return 'Failed';
  if (spec.schedule !== undefined) return 'Scheduled';
  return (status.backups ?? []).length > 0 ? 'Succeeded' : 'Waiting';
}

function nextOf({ spec, status, created }: BackupSituation): { nextBackupTime?: string } {
  if (spec.schedule === undefined) return {};
  const next = nextTime(spec.schedule, timeOf(status.lastStarted) ?? created);
  return next === undefined ? {} : { nextBackupTime: new Date(next).toISOString() };
}

const LONGEST_STEP = 1000;
const MOST_LEFTOVERS = 101;
const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));
