/**
 * What a person wants for one service, as the brain sees it: every default filled in, every percentage resolved, every
 * cron window turned into moments. `serviceSpec()` in spec-defaults.ts makes one from the few fields that matter.
 */
import type { Interval, Millis } from './time.ts';

/** One health check, run against every instance or through the Service. */
export interface CheckSpec {
  /** Unique within the service. */
  readonly name: string;
  readonly kind: 'tcp' | 'http' | 'grpc' | 'exec';
  /** A checksum of what it asks, of whom, and within which time: an edited check is another one, with nothing proven. */
  readonly definition: string;
  /** Whom it asks: each instance for itself, or whoever answers for the Service. */
  readonly through: 'instance' | 'service';
  /** How often it runs when nothing is known; also the unit of the promise `failAfter × period + timeout`. */
  readonly period: Millis;
  readonly timeout: Millis;
  /** Failures in a row that make it failing; at least 1. */
  readonly failAfter: number;
  /** Successes in a row that make it healthy again; at least 1. */
  readonly recoverAfter: number;
  /** The shortest time between two runs, while something is suspect or being repaired. */
  readonly fastest: Millis;
  /** The longest, after a long calm. Never so long that a fault would be confirmed later than promised. */
  readonly slowest: Millis;
}

/** The rungs of the ladder, from gentle to strong. After the last one comes a person. */
export const steps = ['kubernetes', 'replace', 'restart', 'rollback', 'scale'] as const;

/**
 * One rung: let Kubernetes do it, replace the bad instances, restart in waves, roll back to the last healthy revision,
 * scale out.
 */
export type Step = (typeof steps)[number];

/** How one rung may be used. */
export interface StepSpec {
  readonly enabled: boolean;
  /** How long one try may take, from the intent until it is verified. */
  readonly deadline: Millis;
  /** How often it is tried in one incident, relapses included. */
  readonly tries: number;
  /** Whether a person must agree first. */
  readonly approval: boolean;
}

/** At most so many in any interval of that length. */
export interface Budget {
  readonly repairs: number;
  readonly per: Millis;
}

/** What may be done to bring the service back. */
export interface RecoverySpec {
  readonly steps: Readonly<Record<Step, StepSpec>>;
  readonly budget: Budget;
  /** Repairs in one incident before a person is called, whatever steps they were. */
  readonly repairs: number;
  /** Healthy instances that a repair must leave; unless given, what is desired less `maxUnavailable`. */
  readonly minHealthy?: number;
  /** Instances that a repair takes away at a time; at least 1. */
  readonly maxUnavailable: number;
  /** Rest between two repairs of this service. */
  readonly coolDown: Millis;
  /** How long a repair may be held up before a person is called. */
  readonly patience: Millis;
  /** How long a person may take to approve a step before it is handed over to one. */
  readonly approvalDeadline: Millis;
  /** How long a recovered service must stay well before its incident is closed; a relapse before that reopens it. */
  readonly stability: Millis;
  /** Relapses in one incident before the service is quarantined. */
  readonly relapses: number;
  /** How long a revision must be well before it counts as healthy, and can be rolled back to. */
  readonly provenAfter: Millis;
  /** Hands off for so long after somebody else changed the workload during an incident. */
  readonly yieldFor: Millis;
  /** How long a silent node is waited for before its stateless instances are replaced. */
  readonly nodeGrace: Millis;
  /** Whether stateful instances may be replaced while their node is only unreachable, and may still run them. */
  readonly moveWhenUnreachable: boolean;
  /** Whether a restart in waves also takes instances that pass their checks. */
  readonly restartHealthy: boolean;
}

/** How the service's dependants are treated before and after a repair of it. */
export interface CoordinationSpec {
  /** How long dependants may take to acknowledge. */
  readonly deadline: Millis;
  /** What happens when one never answers. */
  readonly onSilence: 'proceed' | 'handOver';
  /** What happens when one refuses. */
  readonly onRefusal: 'proceed' | 'handOver';
  /** How long this service may take to recover by itself once what it depends on is back. */
  readonly recoverWithin: Millis;
}

/** A number that scaling keeps near its target. */
export interface ScalingTarget {
  /** The metric's name, as in observations: `cpu`, `memory`, `latency`, or the application's own. */
  readonly metric: string;
  /** The average that each instance should have; above 0. */
  readonly target: number;
}

/** How fast replicas may change in one direction. */
export interface ScalingRate {
  /** The mildest advice of this long counts; 0 acts at once. */
  readonly stabilisation: Millis;
  /** Never more instances at once than this. */
  readonly instances: number;
  /** Never a greater share of the present replicas at once than this; the more generous of the two counts. */
  readonly share: number;
  /** The time between two changes. */
  readonly every: Millis;
}

/** Elastic scaling. */
export interface ScalingSpec {
  readonly min: number;
  readonly max: number;
  readonly targets: readonly ScalingTarget[];
  /** Deviation from the target that is left alone: 0.1 is 10 %. */
  readonly tolerance: number;
  readonly out: ScalingRate;
  readonly in: ScalingRate;
  /** How old a metric may be before it counts as vanished. */
  readonly staleAfter: Millis;
}

/** How loud an incident may be. */
export interface AlertSpec {
  /** What is not urgent waits this long, so that several changes make one notification. */
  readonly groupWait: Millis;
  /** Notifications for one incident in `per`; what calls a person comes on top. The rest waits and is told together. */
  readonly burst: number;
  readonly per: Millis;
}

/** The cluster's switch. `Off` does nothing, `Observe` says what it would do; both go on looking and telling. */
export type Mode = 'Off' | 'Observe' | 'On';

/** One service that is kept healthy. */
export interface ServiceSpec {
  /** `namespace/name`. */
  readonly name: string;
  readonly checks: readonly CheckSpec[];
  /** Whether its instances have an identity, so that two of one name must never run. */
  readonly stateful: boolean;
  /** How long a fresh instance may fail its checks. */
  readonly startupGrace: Millis;
  /** Lost packets are not looked for: its connections take their time for other reasons. */
  readonly ignoresLoss?: boolean;
  readonly dependsOn: readonly string[];
  readonly recovery: RecoverySpec;
  readonly coordination: CoordinationSpec;
  readonly scaling?: ScalingSpec;
  readonly alerts: AlertSpec;
  /** Watch and tell, but do nothing. */
  readonly pause: boolean;
  /** Decide and tell what would be done, but do nothing. */
  readonly dryRun: boolean;
  /** The cluster's switch; `On` unless given. */
  readonly mode?: Mode;
  /** Do nothing and tell nobody, but keep the record. */
  readonly maintenance: readonly Interval[];
}

/** What holds for all services together. */
export interface ClusterSpec {
  readonly budget: Budget;
  /** Services that may be under repair at once. */
  readonly concurrent: number;
  /** The share of both that one namespace may take while there are others, from 0 to 1; at least one repair. */
  readonly namespaceShare: number;
  readonly storm: StormSpec;
}

/** When so much fails at once that the services are hardly the cause. */
export interface StormSpec {
  /** From this share of all services on, 0 to 1. */
  readonly share: number;
  /** And from this many. */
  readonly services: number;
  /** Only those count that began to fail within this time: at once is what makes a storm. */
  readonly within: Millis;
  /** Services that may be under repair at once in a storm. */
  readonly concurrent: number;
  /** The time between the starts of two repairs in a storm. */
  readonly coolDown: Millis;
  /** How long the storm is taken to last after the share has fallen. */
  readonly calm: Millis;
}

/** The fewest healthy instances that a repair must leave. */
export function minHealthy({ minHealthy, maxUnavailable }: RecoverySpec, desired: number): number {
  return minHealthy ?? Math.max(0, desired - maxUnavailable);
}

/**
 * How many instances are meant by a number, or by a percentage such as `25%`; undefined where nothing is said.
 *
 * @param round Where a percentage falls between two numbers: up for what must be left, down for what may be taken.
 */
export function countOf(amount: number | string, of: number, round: (value: number) => number): number;
export function countOf(
  amount: number | string | undefined,
  of: number,
  round: (value: number) => number,
): number | undefined;
export function countOf(amount: number | string | undefined, of: number, round: (value: number) => number) {
  return typeof amount === 'string' ? round((Number.parseInt(amount, 10) / 100) * of) : amount;
}

/** Why it is only told what would be done; undefined where it may be done. */
export function onlyTells({ mode, dryRun }: Pick<ServiceSpec, 'mode' | 'dryRun'>): string | undefined {
  if (mode === 'Observe') return 'Kurator only observes in this cluster';
  return dryRun ? 'this is a dry run' : undefined;
}
