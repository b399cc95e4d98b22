/** What must hold before anything is broken on purpose. Each guard can only say no, with what would make it say yes. Pure. */
import type { Deployment, StatefulSet } from '@kurator/client';
import { CliError } from '@kurator/command';
import { countOf, minHealthy } from '@kurator/operator-kurator/brain';
import { fullName } from '../healer/find.ts';
import type { DrillSubject, Workload } from './drill-subject.ts';
import type { FaultName } from './faults.ts';
import { markOf, underWay } from './mark.ts';

/** On a namespace: that services in it may be drilled. */
const drillLabel = 'kurator.sh/drill';

/** Why not. */
export interface Refusal {
  readonly why: string;
  readonly remedy: string;
}

/** What a drill would do to a service. */
export interface Intent {
  readonly fault: FaultName;
  /** Whether all of its instances are to fail, as those of a dependency are. */
  readonly all?: boolean;
}

type Guard = (subject: DrillSubject, intent: Intent, now: number) => Refusal | undefined;

const guards: readonly Guard[] = [
  ({ namespace: { metadata } }) =>
    metadata.labels?.[drillLabel] === 'allowed'
      ? undefined
      : {
          why: `namespace ${metadata.name} does not allow drills`,
          remedy: `kubectl label namespace ${metadata.name} ${drillLabel}=allowed`,
        },
  ({ kurator }, _, now) => {
    const mark = markOf(kurator, now);
    return mark && underWay(kurator, mark);
  },
  ({ kurator: { metadata, spec } }) =>
    spec.pause
      ? {
          why: `${metadata.name} is paused: nothing would be done for it`,
          remedy: `kurator resume ${metadata.name}`,
        }
      : undefined,
  ({ kurator: { metadata, spec } }) =>
    spec.dryRun
      ? {
          why: `${metadata.name} is a dry run: nothing would be done for it`,
          remedy: `take spec.dryRun off Kurator ${metadata.name}`,
        }
      : undefined,
  ({ kurator, incidents }) => {
    const open = incidents.find(({ status }) => !status?.closedAt);
    if (!open) return undefined;
    const why = `incident ${open.metadata.name} of ${kurator.metadata.name} is open (${open.status?.stage ?? 'new'})`;
    return { why, remedy: `wait until it is closed: kurator explain ${open.metadata.name}` };
  },
  ({ kurator: { metadata, status } }) =>
    status?.health === 'Healthy'
      ? undefined
      : {
          why: `${metadata.name} is not healthy but ${status?.health ?? 'unknown'}`,
          remedy: `kurator describe ${metadata.name}`,
        },
  ({ kurator, workload }) => {
    if (!workload) return { why: `the workload of ${kurator.metadata.name} is not there`, remedy: 'make it' };
    const why = unsettled(workload);
    return why ? { why: `${workload.kind} ${workload.metadata.name} ${why}`, remedy: 'wait for it' } : undefined;
  },
  tooFew,
];

/** All that speaks against it; nothing if it may be done. */
export function refusalsOf(subject: DrillSubject, intent: Intent, now: number): Refusal[] {
  return guards.flatMap((guard) => guard(subject, intent, now) ?? []);
}

/** As an error that names every reason, and the first thing to do. */
export function refused(subject: DrillSubject, refusals: readonly Refusal[]): CliError {
  const why = refusals.map((one) => one.why).join('; ');
  const remedy = refusals.map((one) => one.remedy).join('; ');
  return new CliError('KUR_CLI_DRILL_REFUSED', `no drill of ${fullName(subject.kurator)}: ${why}`, { remedy });
}

/** Counted as a repair is: what is left must be enough, and never nothing. */
function tooFew({ kurator, workload }: DrillSubject, { fault, all }: Intent): Refusal | undefined {
  if (all || !workload) return undefined;
  const { healthyInstances = 0, desiredInstances = 0 } = kurator.status ?? {};
  const taken = costOf(fault, workload);
  if (taken === 0) return undefined;
  const { minHealthy: least, maxUnavailable = 1 } = kurator.spec.recovery ?? {};
  const settings = { maxUnavailable: Math.max(1, countOf(maxUnavailable, desiredInstances, Math.floor)) };
  const given = least === undefined ? {} : { minHealthy: countOf(least, desiredInstances, Math.ceil) };
  const needed = Math.max(1, minHealthy({ ...settings, ...given } as never, desiredInstances));
  if (healthyInstances - taken >= needed) return undefined;
  const why = `of ${healthyInstances} healthy ${healthyInstances === 1 ? 'pod' : 'pods'} it may cost ${taken}, and ${needed} must be left`;
  const remedy = `have ${needed + taken} pods`;
  // One is always left, whatever is allowed.
  return { why, remedy: needed > 1 ? `${remedy}, or lower recovery.minHealthy` : remedy };
}

/** How many instances it may cost at once. */
function costOf(fault: FaultName, workload: Workload): number {
  if (fault === 'load' || fault === 'dependency') return 0;
  if (fault !== 'crash-loop') return 1;
  if (workload.kind === 'StatefulSet') return 1;
  const { strategy, replicas = 1 } = (workload as Deployment).spec ?? {};
  if (strategy?.type === 'Recreate') return replicas;
  return countOf(strategy?.rollingUpdate?.maxUnavailable ?? '25%', replicas, Math.floor);
}

/** What is under way already; undefined if nothing is. */
function unsettled({ kind, metadata, spec, status }: Workload): string | undefined {
  if (kind === 'Deployment' && (spec as Deployment['spec'])?.paused) return 'is paused';
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const { currentRevision, updateRevision } = (status ?? {}) as NonNullable<StatefulSet['status']>;
  const isUpdated = kind === 'StatefulSet' && currentRevision === updateRevision;
  const wanted = spec?.replicas ?? 1;
  const isComplete = isUpdated || (status?.updatedReplicas ?? 0) >= wanted;
  return isSeen && isComplete ? undefined : 'is being rolled out';
}
