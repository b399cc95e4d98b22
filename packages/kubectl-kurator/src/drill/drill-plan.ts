/** Whom a drill is about, and by what means: settled before anything is touched. */
import { randomBytes } from 'node:crypto';
import { type Client, type Pod, parseDuration } from '@kurator/client';
import { CliError } from '@kurator/command';
import { fullName } from '../healer/find.ts';
import type { DrillSubject } from './drill-subject.ts';
import { type FaultName, faultNames, faults } from './faults.ts';
import { burnMeans } from './means/burn.ts';
import { holdMeans } from './means/hold.ts';
import { lossMeans } from './means/loss.ts';
import type { Means, Stage } from './means/means.ts';
import { revisionMeans } from './means/revision.ts';

/** As they are typed. */
export interface DrillPlanOptions {
  readonly fault?: FaultName;
  readonly pod?: string;
  readonly container?: string;
  readonly dependency?: string;
  readonly image?: string;
  readonly percent?: number;
  readonly deadline?: string;
}

/** What would be done. */
export interface DrillPlan {
  readonly id: string;
  readonly fault: FaultName;
  readonly pods: readonly Pod[];
  /** Which container of them, where it was named. */
  readonly container?: string | undefined;
  readonly deadlineSeconds: number;
  readonly means: Means;
}

const shortest = 10;
const longest = 1800;
/** So much later than at the deadline a fault ends by itself: what ends in time must be the command's doing, or a recovery. */
const afterDeadline = 5;

/** Options that would be idle with other faults: whoever gives them means something that would not happen. */
const belongsTo = {
  percent: ['packet-loss'],
  dependency: ['dependency'],
  image: ['kill', 'hang', 'packet-loss', 'dependency'],
} as const satisfies Partial<Record<keyof DrillPlanOptions, readonly FaultName[]>>;

/** The fault that was asked for, by options that go together. */
export function faultOf(options: DrillPlanOptions): FaultName {
  const { fault } = options;
  if (fault) {
    for (const [option, kinds] of Object.entries(belongsTo)) {
      if (options[option as keyof typeof belongsTo] === undefined || kinds.some((kind) => kind === fault)) continue;
      const what = `--${option} goes with --fault ${kinds.join(', ')}`;
      throw new CliError('KUR_CLI_USAGE', what, { remedy: 'leave it out' });
    }
    return fault;
  }
  throw new CliError('KUR_CLI_USAGE', 'say which fault', {
    remedy: `--fault ${faultNames.join('|')}; --list explains`,
  });
}

/** The other service that is to fail; undefined unless that is the fault. */
export function dependencyOf(options: DrillPlanOptions, { kurator }: DrillSubject): string | undefined {
  const { dependency } = options;
  const { dependsOn } = kurator.spec;
  const known = dependsOn.length > 0 ? `it depends on ${dependsOn.join(', ')}` : 'it depends on nothing';
  if (faultOf(options) !== 'dependency') return undefined;
  if (dependency === undefined) {
    throw new CliError('KUR_CLI_USAGE', 'name the service that is to fail', { remedy: `--dependency NAME; ${known}` });
  }
  if (dependsOn.includes(dependency)) return dependency;
  throw new CliError('KUR_CLI_USAGE', `${kurator.metadata.name} does not depend on ${dependency}`, { remedy: known });
}

/** Seconds; refused where a mistake is more likely than a wish. */
export function deadlineOf(options: DrillPlanOptions): number {
  const text = options.deadline ?? faults[faultOf(options)].deadline;
  let seconds = Number.NaN;
  try {
    seconds = Math.round(parseDuration(text) / 1000);
  } catch {}
  if (seconds >= shortest && seconds <= longest) return seconds;
  throw new CliError('KUR_CLI_USAGE', `--deadline "${text}" can't be used`, { remedy: 'from 10s to 30m, such as 90s' });
}

/** @param subject Of whoever is to fail: the service, or its dependency. */
export function planDrill(
  client: Client,
  subject: DrillSubject,
  options: DrillPlanOptions,
  signal: AbortSignal,
): DrillPlan {
  const fault = faultOf(options);
  const id = randomBytes(3).toString('hex');
  const deadlineSeconds = deadlineOf(options);
  const pods = targetsOf(fault, subject, Date.now(), options.pod);
  const { container, image, percent = 30 } = options;
  const seconds = deadlineSeconds + afterDeadline;
  const stage: Stage = { client, signal, id, subject, pods, container, image, percent, seconds };
  return { id, fault, pods, container, deadlineSeconds, means: makers[fault](stage) };
}

const makers: Readonly<Record<FaultName, (stage: Stage) => Means>> = {
  kill: (stage) => holdMeans(stage, 'kill'),
  hang: (stage) => holdMeans(stage, 'hang'),
  'crash-loop': revisionMeans,
  'packet-loss': lossMeans,
  load: burnMeans,
  dependency: (stage) => holdMeans(stage, 'hang'),
};

const forAll: ReadonlySet<FaultName> = new Set(['crash-loop', 'load', 'dependency']);
/** Seen by checks alone, whose failures mean nothing while a pod is starting. */
const seenByChecks: ReadonlySet<FaultName> = new Set(['hang', 'packet-loss', 'dependency']);

/** The one that is longest there and well, or all that are well. */
export function targetsOf(fault: FaultName, { pods, kurator }: DrillSubject, now: number, named?: string): Pod[] {
  const well = pods.filter(isReady).toSorted((a, b) => startOf(a) - startOf(b));
  if (forAll.has(fault) && named !== undefined) {
    throw new CliError('KUR_CLI_USAGE', `--fault ${fault} is about all pods`, { remedy: 'leave out --pod' });
  }
  const meant = named === undefined ? well : well.filter(({ metadata }) => metadata.name === named);
  const found = forAll.has(fault) ? meant : meant.slice(0, 1);
  if (found.length === 0) {
    const what = named === undefined ? 'no pod that is ready' : `no pod "${named}" that is ready`;
    const names = well.map(({ metadata }) => metadata.name).join(', ');
    throw no(kurator, what, names ? `there is ${names}` : 'wait until there is one');
  }
  const wait = Math.max(...found.map(startOf)) + parseDuration(kurator.spec.startupGrace) - now;
  if (seenByChecks.has(fault) && wait > 0) {
    const what = `a pod within its start-up grace (${kurator.spec.startupGrace}), in which failing checks mean nothing`;
    throw no(kurator, what, `wait ${Math.ceil(wait / 1000)} s`);
  }
  return found;
}

function no(kurator: DrillSubject['kurator'], what: string, remedy: string): CliError {
  return new CliError('KUR_CLI_DRILL_REFUSED', `${fullName(kurator)} has ${what}`, { remedy });
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
}

/** When its containers began, the last of them; milliseconds since 1970. */
function startOf({ metadata, status }: Pod): number {
  const starts = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.running?.startedAt ?? []);
  return Math.max(...[...starts, metadata.creationTimestamp ?? 0].map((at) => new Date(at).getTime()));
}
