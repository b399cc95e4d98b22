/** From what a person wrote in a Kurator to what the brain reads. */
import { checksum, messageOf, parseDuration } from '@kurator/sdk';
import { Cron } from 'croner';
import { type CheckSpec, countOf, type Mode, type ServiceSpec } from '../brain/spec.ts';
import { type CheckInput, type RecoveryInput, type ScalingInput, serviceSpec } from '../brain/spec-defaults.ts';
import type { Interval } from '../brain/time.ts';
import type { Kurator } from '../resources/kurator.ts';

type Spec = Kurator['spec'];

/** What only the present can say of a spec. */
export interface Present {
  /** Instances that are wanted: what percentages are of. */
  readonly desired: number;
  readonly stateful: boolean;
  /** What the cluster's switch says. */
  readonly mode: Mode;
  /** Which workload it is about: `Deployment/web`. */
  readonly workload: string;
  readonly now: number;
}

export function serviceSpecOf(kurator: Kurator, present: Present): ServiceSpec {
  const { metadata, spec } = kurator;
  const { namespace = '' } = metadata;
  return serviceSpec({
    name: `${namespace}/${metadata.name}`,
    checks: spec.checks.map((check) => checkInput(check, [present.workload, spec.targetRef?.service ?? ''])),
    stateful: present.stateful,
    startupGrace: parseDuration(spec.startupGrace),
    dependsOn: spec.dependsOn.map((one) => (one.includes('/') ? one : `${namespace}/${one}`)),
    ...(!spec.packetLoss && { ignoresLoss: true }),
    pause: spec.pause,
    dryRun: spec.dryRun,
    mode: present.mode,
    maintenance: maintenanceWindows(spec.maintenance, present.now),
    recovery: recoveryInput(spec.recovery, present),
    coordination: given({
      deadline: milliseconds(spec.coordination?.deadline),
      onSilence: spec.coordination?.onSilence,
      onRefusal: spec.coordination?.onRefusal,
      recoverWithin: milliseconds(spec.coordination?.recoverWithin),
    }),
    alerts: given({
      groupWait: milliseconds(spec.alerts?.groupWait),
      burst: spec.alerts?.burst,
      per: milliseconds(spec.alerts?.per),
    }),
    ...(spec.scaling && { scaling: scalingInput(spec.scaling) }),
  });
}

const kinds = ['tcp', 'http', 'grpc', 'exec'] as const;

/** @param asked Who is asked, besides what the check itself says. */
function checkInput(check: Spec['checks'][number], asked: readonly string[]): CheckInput {
  const { name, through, failAfter, recoverAfter, period: _, ...question } = check;
  const kind: CheckSpec['kind'] = kinds.find((one) => check[one] !== undefined) ?? 'tcp';
  const period = parseDuration(check.period);
  const timeout = parseDuration(check.timeout);
  const definition = checksum({ ...question, through, asked });
  return { name, kind, definition, through, failAfter, recoverAfter, period, timeout };
}

function recoveryInput(recovery: Spec['recovery'] = {}, { desired }: Present): RecoveryInput {
  const steps = Object.entries(recovery.steps ?? {}).map(([step, settings = {}]) => [
    step,
    given({ ...settings, deadline: milliseconds(settings.deadline) }),
  ]);
  const { budget } = recovery;
  return given({
    steps: Object.fromEntries(steps),
    budget: budget && { repairs: budget.repairs, per: parseDuration(budget.per) },
    repairs: recovery.maxRepairs,
    minHealthy: countOf(recovery.minHealthy, desired, Math.ceil),
    maxUnavailable: atLeastOne(countOf(recovery.maxUnavailable, desired, Math.floor)),
    coolDown: milliseconds(recovery.coolDown),
    stability: milliseconds(recovery.stability),
    relapses: recovery.relapses,
    provenAfter: milliseconds(recovery.provenAfter),
    yieldFor: milliseconds(recovery.yieldFor),
    approvalDeadline: milliseconds(recovery.approvalDeadline),
    nodeGrace: milliseconds(recovery.nodeGrace),
    moveWhenUnreachable: recovery.moveWhenUnreachable,
    patience: milliseconds(recovery.patience),
    restartHealthy: recovery.restartHealthy,
  });
}

/** Taking away none at a time would be no repair. */
const atLeastOne = (count: number | undefined) => (count === undefined ? undefined : Math.max(1, count));

function scalingInput({ min, max, targets, tolerance, ...rates }: NonNullable<Spec['scaling']>): ScalingInput {
  return {
    min,
    max,
    tolerance: tolerance / 100,
    targets: targets.map(scalingTarget),
    ...(rates.out && { out: rateOf(rates.out) }),
    ...(rates.in && { in: rateOf(rates.in) }),
  };
}

type Target = NonNullable<Spec['scaling']>['targets'][number];

function scalingTarget({ cpu, memory, latency, metric }: Target): { metric: string; target: number } {
  if (cpu !== undefined) return { metric: 'cpu', target: cpu / 100 };
  if (memory !== undefined) return { metric: 'memory', target: memory / 100 };
  if (latency !== undefined) return { metric: 'latency', target: parseDuration(latency) };
  return { metric: metric?.name ?? '', target: metric?.value ?? 1 };
}

function rateOf(rate: NonNullable<NonNullable<Spec['scaling']>['out']>) {
  return given({
    stabilisation: milliseconds(rate.stabilisation),
    instances: rate.instances,
    share: rate.percent === undefined ? undefined : rate.percent / 100,
    every: milliseconds(rate.every),
  });
}

/** Without the fields that were not given, so that defaults count. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}

/** A window that began before now may still be open; further ahead nobody looks. */
function maintenanceWindows(windows: Kurator['spec']['maintenance'], now: number): Interval[] {
  return windows.flatMap(({ cron, duration, timeZone }, index) => {
    const length = parseDuration(duration);
    const from = nextRun(cron, timeZone, now - length, index);
    return from === undefined ? [] : [{ from, to: from + length }];
  });
}

/** @throws An error that names the field, since no schema knows what a cron expression is. */
function nextRun(cron: string, timezone: string, after: number, index: number): number | undefined {
  try {
    return new Cron(cron, { timezone, paused: true }).nextRun(new Date(after))?.getTime();
  } catch (error) {
    const why = messageOf(error);
    const message = `spec.maintenance[${index}].cron "${cron}" in time zone ${timezone} is no time: ${why}`;
    throw new Error(message, { cause: error });
  }
}
