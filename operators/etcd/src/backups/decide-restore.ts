/** What is done next for an EtcdRestore: one step, of what is known at this moment. Pure. Nothing is made before the snapshot was judged. */
import type { Outcome } from './outcome.ts';
import { retryDelay } from './schedule.ts';
import type { Storage } from './storage-fields.ts';
import type { Report } from './task.ts';

/** Where the snapshot is. */
export interface ChosenSource {
  readonly storage: Storage;
  readonly key: string;
}

/** Everything that a decision is made of. */
export interface RestoreSituation {
  readonly phase: string | undefined;
  readonly why: string | undefined;
  /** As it is written down, or as it was found just now; a text where there is none, and why. */
  readonly source: ChosenSource | string;
  /** Whether the source is written down. */
  readonly isChosen: boolean;
  /** The new cluster: `foreign` is one that this restore has not made. */
  readonly cluster: 'absent' | 'foreign' | 'forming' | 'running';
  /** What it waits for. */
  readonly clusterStep: string | undefined;
  /** Whether the new cluster's spec is given; else it is read beside the snapshot. */
  readonly hasTemplate: boolean;
  readonly reading: Outcome | undefined;
  readonly checking: Outcome | undefined;
  readonly failures: number;
  readonly lastFailed: number | undefined;
  readonly obstacle: string | undefined;
  readonly now: number;
}

export type RestoreStep =
  | { readonly do: 'choose'; readonly source: ChosenSource; readonly why: string }
  /** Reads what is written beside it. */
  | { readonly do: 'read'; readonly source: ChosenSource; readonly why: string }
  /** Restores it into a scratch member. */
  | { readonly do: 'check'; readonly source: ChosenSource; readonly spec: unknown; readonly why: string }
  /** Makes the cluster. `spec`: as it was backed up, where none is given. */
  | {
      readonly do: 'create';
      readonly source: ChosenSource;
      readonly spec: unknown;
      readonly backup: NonNullable<Extract<Report, { ok: true }>['backup']>;
      readonly why: string;
    }
  | { readonly do: 'retry'; readonly pod: 'read' | 'check'; readonly why: string }
  | { readonly do: 'refuse'; readonly why: string }
  | { readonly do: 'succeed'; readonly why: string }
  | {
      readonly do: 'wait';
      readonly why: string;
      readonly until?: number;
      readonly phase?: 'Waiting' | 'Checking' | 'Restoring';
    }
  | { readonly do: 'nothing'; readonly why: string };

export function decideRestore(situation: RestoreSituation): RestoreStep {
  const { phase, why, cluster, clusterStep, source, isChosen, obstacle } = situation;
  if (phase === 'Succeeded' || phase === 'Refused') return { do: 'nothing', why: why ?? '' };
  if (cluster === 'foreign') {
    return {
      do: 'refuse',
      why: 'spec.cluster.name: there is an EtcdCluster of this name, and only new ones are restored',
    };
  }
  if (cluster === 'running') return { do: 'succeed', why: 'the cluster runs, with what is in the backup' };
  if (cluster === 'forming') return { do: 'wait', phase: 'Restoring', why: clusterStep ?? 'the cluster begins' };
  if (typeof source === 'string') return { do: 'wait', phase: 'Waiting', why: source };
  if (!isChosen) return { do: 'choose', source, why: `${source.key} is to be restored` };
  if (obstacle) return { do: 'wait', phase: 'Waiting', why: obstacle };
  return judge(situation, source);
}

function judge(situation: RestoreSituation, source: ChosenSource): RestoreStep {
  const { hasTemplate, reading, checking, failures, lastFailed, now } = situation;
  const failed = failureOf('read', reading) ?? failureOf('check', checking);
  if (failed) return failed;
  const isIdle = checking === undefined && reading?.is !== 'pending';
  const retryAt = failures > 0 && lastFailed !== undefined ? lastFailed + retryDelay(failures) : 0;
  if (isIdle && retryAt > now) {
    return { do: 'wait', phase: 'Checking', until: retryAt, why: 'it could not be looked at; it is tried again soon' };
  }
  if (hasTemplate) return look(checking, source, undefined);
  if (!reading) return { do: 'read', source, why: `reads what ${source.key} is` };
  if (reading.is !== 'done') return { do: 'wait', phase: 'Checking', why: reading.why };
  const { spec } = reading.report;
  return spec === undefined
    ? { do: 'refuse', why: 'spec.cluster.spec: that of the backup is too long to be read here: give it' }
    : look(checking, source, spec);
}

function look(checking: Outcome | undefined, source: ChosenSource, spec: unknown): RestoreStep {
  if (!checking) return { do: 'check', source, spec, why: `restores ${source.key} into a scratch member` };
  if (checking.is !== 'done') return { do: 'wait', phase: 'Checking', why: checking.why };
  const { backup } = checking.report;
  return backup
    ? { do: 'create', source, spec, backup, why: `${source.key} is whole: the cluster is made of it` }
    : { do: 'refuse', why: 'the check has not said what it found' };
}

function failureOf(pod: 'read' | 'check', outcome: Outcome | undefined): RestoreStep | undefined {
  if (outcome?.is !== 'failed') return undefined;
  return outcome.refused ? { do: 'refuse', why: outcome.why } : { do: 'retry', pod, why: outcome.why };
}
