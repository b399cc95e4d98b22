/**
 * What was seen, as plain data: the hands translate from watches and probes, the brain never sees an API object. What
 * is missing here was not observed, and what was not observed is unknown.
 */
import type { Millis } from './time.ts';

/** How one run of a check ended. `unknown` is the checker's own trouble, and says nothing about its target. */
export type CheckOutcome = 'healthy' | 'failing' | 'unknown';

/** The target of checks that go through the Service, in the place of an instance's uid. */
export const theService = 'service';

/** One run of one check. */
export interface CheckResult {
  /** The instance's uid, or {@link theService}. */
  readonly target: string;
  readonly check: string;
  readonly outcome: CheckOutcome;
  /** What went wrong, as the prober names it: `refused`, `connect-timeout`, `response-timeout`, `status`… */
  readonly errorKind?: string;
  readonly message?: string;
  /** When the run ended. */
  readonly at: Millis;
  readonly latencyMs: number;
  /** For how long the checker itself was held up meanwhile, which is not in `latencyMs`; missing when it was not. */
  readonly heldUpMs?: number;
  /** Until the TCP connection was open; missing when none was. */
  readonly connectMs?: number;
  readonly certificateExpiresAt?: Millis;
}

/** Whether whoever was asked was there: what was lost on the way, or never sent, was answered by nobody. */
export function wasAnswered({ outcome, connectMs }: Pick<CheckResult, 'outcome' | 'connectMs'>): boolean {
  return outcome === 'healthy' || connectMs !== undefined;
}

/** One opening of a connection, from anywhere: the operator itself, or a node's agent. */
export interface PathSample {
  /** The vantage point: `operator`, or a node's name. */
  readonly from: string;
  /** The instance's uid. */
  readonly to: string;
  readonly at: Millis;
  /** Until it was open or refused, or, with `opened` false, until it was given up. */
  readonly connectMs: number;
  readonly opened: boolean;
}

/** One container, as the kubelet reports it. */
export interface ContainerObservation {
  readonly name: string;
  readonly state: 'running' | 'waiting' | 'terminated';
  /** Why it waits: `CrashLoopBackOff`, `ImagePullBackOff`… */
  readonly waiting?: string;
  /** Where its image comes from; missing when it does not wait for one. */
  readonly registry?: string;
  /** The image itself is to blame: there is none of that name, or it is nobody's to have. Missing where nobody says so. */
  readonly isImageAtFault?: true;
  /** When it was last started. */
  readonly startedAt?: Millis;
  readonly restarts: number;
  /** How it last ended, if it ever did. */
  readonly ended?: ContainerEnd;
}

/** How a container ended. */
export interface ContainerEnd {
  readonly at: Millis;
  readonly exitCode: number;
  /** `OOMKilled`, `Error`, `Completed`… */
  readonly reason?: string;
}

/** What an instance uses of what it has, each from 0 (idle) to 1 (its limit), and any metric of its own. */
export interface UsageObservation {
  readonly at: Millis;
  /** By name: `cpu`, `memory`, `latency`, or the application's own. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** One instance: one pod. */
export interface InstanceObservation {
  readonly name: string;
  readonly uid: string;
  /** Missing while it is not scheduled. */
  readonly node?: string;
  /** The revision of the workload that it was made from. */
  readonly revision: string;
  readonly createdAt: Millis;
  readonly terminating: boolean;
  /** Missing when the kubelet has not said. */
  readonly ready?: boolean;
  /** Since when it has been ready, or has not been. */
  readonly readySince?: Millis;
  readonly containers: readonly ContainerObservation[];
  /** What the scheduler says about an instance that it finds no node for. */
  readonly unschedulable?: { readonly since: Millis; readonly message: string };
  readonly usage?: UsageObservation;
}

/** One node that instances run on. */
export interface NodeObservation {
  readonly name: string;
  /** `unknown`: the kubelet has gone silent, but may still run its containers. */
  readonly ready: 'true' | 'false' | 'unknown';
  readonly since: Millis;
  /** From when on its silence is its own, and not that of all nodes; missing unless that is later. */
  readonly silentAloneFrom?: Millis;
  /** Deleted, or tainted as out of service: what ran there runs no more. */
  readonly gone: boolean;
  /**
   * When the newest check was begun that a pod on it has answered, be it with an error, and whosever pod: the node lived
   * then. Missing when none has.
   */
  readonly answeredAt?: Millis;
  /** What else the node complains about: `MemoryPressure`, `NetworkUnavailable`… Missing when it does not. */
  readonly complaints?: readonly string[];
}

/**
 * A change of the workload's spec by somebody else: a person, a pipeline, another controller. Changes of its metadata or
 * status alone are none.
 */
export interface ForeignWrite {
  /** When the hands first saw it, on their own clock: the API server's stamps are too coarse to compare. */
  readonly at: Millis;
  readonly by: string;
  readonly what: 'template' | 'replicas' | 'other';
}

/** How a workload's own controller would replace all instances, with more than are desired meanwhile. */
export interface Surge {
  /** Instances that it may take away before their successors are ready. */
  readonly unavailable: number;
}

/** The Deployment or StatefulSet. */
export interface WorkloadObservation {
  readonly desired: number;
  /** Which object state was seen. An action is carried out only on this one, or refused. */
  readonly generation: number;
  /** The revision that is wanted now. A restart makes no new one: what runs is the same. */
  readonly revision: string;
  /** Revisions that still exist and could be gone back to. */
  readonly revisions: readonly string[];
  /** `stalled`: no progress within the workload's own deadline. */
  readonly rollout: 'settled' | 'progressing' | 'stalled';
  /** Since when it has been stalled. */
  readonly stalledSince?: Millis;
  readonly foreignWrite?: ForeignWrite;
  /** A person has paused the workload itself. */
  readonly paused: boolean;
  /** The HorizontalPodAutoscaler or other scaler that sets its replicas, if there is one. */
  readonly autoscaler?: string;
  /** It can be rolled, so that new instances come before the old ones go; missing where it can't, or not now. */
  readonly surge?: Surge;
  /** Why instances can't be made, by its controller's word; missing where it does not say. */
  readonly creationFailure?: string;
  /** What PodDisruptionBudgets still allow; missing when there is none. */
  readonly disruptionsAllowed?: number;
}

/** What is known about a component that this service depends on: its own `ServiceSummary`. */
export interface DependencyObservation {
  readonly name: string;
  readonly state: 'healthy' | 'impaired' | 'unknown';
  /** It was seen healthy by checks that began no earlier than this. */
  readonly healthyAsOf?: Millis;
  /** When its last incident was over. */
  readonly recoveredAt?: Millis;
  /** The incident in which this trouble has its root. */
  readonly incident?: string;
  /** Somebody is at that: it is being repaired, or a person was called, or wants it so for a while. */
  readonly isAttended?: boolean;
}

/** A component that depends on this service. */
export interface DependantObservation {
  readonly name: string;
  /** Whether it has a hook that must be asked; the others are only told. */
  readonly answers: boolean;
}

/** What a dependant's hook answered. */
export interface Answer {
  /** The notice that it answers. */
  readonly notice: string;
  readonly answer: 'ready' | 'refused';
}

/** What people have said about this service's incidents. */
export interface Orders {
  /** The proposals that a person has approved, by id. */
  readonly approved: readonly string[];
  /** Who has, by the name that was given; missing where none was. */
  readonly approvedBy?: string;
  /** The incidents that a person gives back after it was handed over or quarantined, each for once, by id and count. */
  readonly resumed: readonly string[];
}

/** Everything seen of one service at one moment. */
export interface Observation {
  /**
   * When the watches were last known to be current: anything that proves it counts, also the renewal of a lease over the
   * same connection. Half a minute later the brain calls itself blind.
   */
  readonly at: Millis;
  readonly workload: WorkloadObservation;
  readonly instances: readonly InstanceObservation[];
  readonly nodes: readonly NodeObservation[];
  readonly dependencies: readonly DependencyObservation[];
  readonly dependants: readonly DependantObservation[];
  readonly answers: readonly Answer[];
  readonly orders: Orders;
}
