/** Good defaults: a name and one check are a complete spec. */
import type {
  AlertSpec,
  CheckSpec,
  ClusterSpec,
  CoordinationSpec,
  RecoverySpec,
  ScalingRate,
  ScalingSpec,
  ServiceSpec,
  Step,
  StepSpec,
} from './spec.ts';
import { hour, minute, second } from './time.ts';

/** A check with what its author left out. */
export type CheckInput = Partial<CheckSpec> & Pick<CheckSpec, 'name'>;

/** A recovery with what its author left out. */
export type RecoveryInput = Partial<Omit<RecoverySpec, 'steps'>> & { steps?: Partial<Record<Step, Partial<StepSpec>>> };

/** Scaling with what its author left out. */
export type ScalingInput = Partial<Omit<ScalingSpec, 'in' | 'out'>> &
  Pick<ScalingSpec, 'max' | 'targets'> & { in?: Partial<ScalingRate>; out?: Partial<ScalingRate> };

/** A service with what its author left out. */
export type ServiceInput = Partial<Omit<ServiceSpec, 'checks' | 'recovery' | 'coordination' | 'alerts' | 'scaling'>> &
  Pick<ServiceSpec, 'name'> & {
    checks?: CheckInput[];
    recovery?: RecoveryInput;
    coordination?: Partial<CoordinationSpec>;
    alerts?: Partial<AlertSpec>;
    scaling?: ScalingInput;
  };

const stepDefaults: Record<Step, StepSpec> = {
  kubernetes: { enabled: true, deadline: minute, tries: 3, approval: false },
  replace: { enabled: true, deadline: 3 * minute, tries: 2, approval: false },
  restart: { enabled: true, deadline: 5 * minute, tries: 1, approval: false },
  rollback: { enabled: true, deadline: 10 * minute, tries: 3, approval: false },
  scale: { enabled: true, deadline: 5 * minute, tries: 2, approval: false },
};

const recoveryDefaults: Omit<RecoverySpec, 'steps'> = {
  budget: { repairs: 6, per: hour },
  repairs: 3,
  maxUnavailable: 1,
  coolDown: 10 * second,
  patience: 15 * minute,
  approvalDeadline: 30 * minute,
  stability: 5 * minute,
  relapses: 3,
  provenAfter: 5 * minute,
  yieldFor: minute,
  nodeGrace: minute,
  moveWhenUnreachable: false,
  restartHealthy: false,
};

const coordinationDefaults: CoordinationSpec = {
  deadline: 30 * second,
  onSilence: 'proceed',
  onRefusal: 'handOver',
  recoverWithin: minute,
};

const alertDefaults: AlertSpec = { groupWait: 30 * second, burst: 4, per: hour };

const rateDefaults: { in: ScalingRate; out: ScalingRate } = {
  out: { stabilisation: 0, instances: 4, share: 1, every: 15 * second },
  in: { stabilisation: 5 * minute, instances: 1, share: 0.1, every: minute },
};

/** What holds for a cluster unless something else is said. */
export const clusterDefaults: ClusterSpec = {
  budget: { repairs: 60, per: hour },
  concurrent: 5,
  namespaceShare: 0.5,
  storm: { share: 0.3, services: 4, within: 10 * minute, concurrent: 2, coolDown: 10 * second, calm: 5 * minute },
};

/** A check with every default filled in. */
export function checkSpec(input: CheckInput): CheckSpec {
  const period = input.period ?? 10 * second;
  return {
    kind: 'http',
    definition: '',
    through: 'instance',
    period,
    timeout: 2 * second,
    failAfter: 3,
    recoverAfter: 2,
    fastest: Math.max(second, period / 4),
    slowest: 2 * period,
    ...input,
  };
}

/** A service with every default filled in. */
export function serviceSpec(input: ServiceInput): ServiceSpec {
  const { scaling, ...rest } = input;
  return {
    stateful: false,
    startupGrace: 30 * second,
    dependsOn: [],
    pause: false,
    dryRun: false,
    maintenance: [],
    ...rest,
    checks: (input.checks ?? []).map(checkSpec),
    recovery: { ...recoveryDefaults, ...input.recovery, steps: stepsOf(input.recovery) },
    coordination: { ...coordinationDefaults, ...input.coordination },
    alerts: { ...alertDefaults, ...input.alerts },
    ...(scaling && { scaling: scalingSpec(scaling) }),
  };
}

function stepsOf({ steps = {} }: RecoveryInput = {}): Record<Step, StepSpec> {
  const filled = { ...stepDefaults };
  for (const [step, given] of Object.entries(steps)) {
    filled[step as Step] = { ...stepDefaults[step as Step], ...given };
  }
  return filled;
}

function scalingSpec(input: ScalingInput): ScalingSpec {
  return {
    min: 1,
    tolerance: 0.1,
    staleAfter: minute,
    ...input,
    out: { ...rateDefaults.out, ...input.out },
    in: { ...rateDefaults.in, ...input.in },
  };
}
