/** What people are told of a cluster. */
import type { ConditionClaim, StatusFields } from '@kurator/sdk';
import { LABEL } from './children/names.ts';
import type { Look } from './look.ts';
import { synchronousNames } from './postgres/parameters.ts';
import type { PostgresCluster } from './resources.ts';

export interface Told {
  readonly status: StatusFields<PostgresCluster>;
  readonly conditions: readonly ConditionClaim[];
}

const LONGEST_STEP = 1000;

/** @param waits What is under way; undefined: all is as wanted. */
export function statusOf(cluster: PostgresCluster, seen: Look, waits: string | undefined): Told {
  const { situation, systemId, reports } = seen;
  const { record, instances, wanted, hasData } = situation;
  const primary = record?.stage === 'Serving' ? record.holder : undefined;
  const ready = instances.filter(({ pod }) => pod === 'ready').length;
  const isPaused = cluster.spec.paused;
  const isDone = waits === undefined && ready === wanted && !isPaused;
  const phase = phaseOf({ isPaused, hasData, hasPrimary: primary !== undefined, isDone, isWhole: ready >= wanted });
  const text = (isDone ? 'nothing is to be done' : (waits ?? 'waits')).slice(0, LONGEST_STEP);
  const set = record?.sets.at(-1);
  const timeline = reports.get(primary ?? '')?.timeline ?? record?.lines.at(-1)?.timeline;
  return {
    status: {
      phase,
      ready: `${ready}/${wanted}`,
      readyInstances: ready,
      selector: `${LABEL}=${cluster.metadata.name}`,
      step: text,
      instances: instancesOf(seen),
      ...(primary ? { primary } : {}),
      ...(record ? { epoch: record.epoch } : {}),
      ...(timeline ? { timeline } : {}),
      ...(set ? { synchronous: synchronousNames(set.k, set.names) } : {}),
      ...(systemId ? { systemId } : {}),
    },
    conditions: conditionsOf(primary, phase, isDone, text),
  };
}

function instancesOf({ situation, reports }: Look) {
  return situation.instances.map(({ name, pod }) => {
    const report = reports.get(name);
    return {
      name,
      role: report?.role ?? 'Unknown',
      ready: pod === 'ready',
      ...(report?.timeline ? { timeline: report.timeline } : {}),
      ...(report?.lag === undefined ? {} : { lag: wholeMebibytes(report.lag) }),
      ...(report?.doing ? { doing: report.doing } : {}),
    };
  });
}

/** So that a replica that is behind by a page is no news. */
const wholeMebibytes = (bytes: number) => Math.floor(Math.max(bytes, 0) / 1_048_576) * 1_048_576;

function conditionsOf(primary: string | undefined, phase: string, isDone: boolean, text: string): ConditionClaim[] {
  const holds = (does: boolean, reason: string) => ({ status: does ? 'True' : 'False', reason }) as const;
  const available = holds(primary !== undefined, primary ? 'Primary' : 'NoPrimary');
  return [
    { type: 'Available', ...available, message: primary ? `${primary} is the primary` : text },
    { type: 'Ready', ...holds(isDone, isDone ? 'AsWanted' : phase), message: text },
    { type: 'Progressing', ...holds(phase === 'Creating' || phase === 'Changing', phase), message: text },
    { type: 'Degraded', ...holds(phase === 'Degraded' || phase === 'FailingOver', phase), message: text },
  ];
}

interface Facts {
  readonly isPaused: boolean;
  readonly hasData: boolean;
  readonly hasPrimary: boolean;
  readonly isDone: boolean;
  readonly isWhole: boolean;
}

function phaseOf({ isPaused, hasData, hasPrimary, isDone, isWhole }: Facts) {
  if (isPaused) return 'Paused';
  if (!hasData) return 'Creating';
  if (!hasPrimary) return 'FailingOver';
  if (isDone) return 'Running';
  return isWhole ? 'Changing' : 'Degraded';
}
