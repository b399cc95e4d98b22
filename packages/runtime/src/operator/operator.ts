/**
 * How an operator is declared, as its author sees it: `operator().controller(MyApp).owns(Deployment).reconcile(…).run()`.
 * The two interfaces lead to each other, and so live together.
 */
import type { KubernetesObject, ResourceType } from '@kurator/client';
import type { Resource, Verb } from '@kurator/schema';
import type { Duration } from '../duration.ts';
import type { AdmissionOptions, MutateOptions } from '../webhooks/admission.ts';
import type { CleanupFunction, Companion, MutateFunction, ReconcileFunction, ValidateFunction } from './author.ts';
import type { ClusterAccess } from './definition.ts';
import type { DryRunOptions } from './dry-run/dry-run.ts';
import type { DryRunReport } from './dry-run/report.ts';
import type { ConcernedBy } from './lookup.ts';
import type { StartOptions } from './operator-options.ts';
import type { Permissions } from './permissions.ts';
import type { RunOptions } from './run.ts';
import type { CronSettings, DaemonSettings, EverySettings, ScheduledFunction } from './scheduling.ts';
import type { ControllerSettings, OwnSettings, WatchSettings } from './settings.ts';
import type { RunningOperator } from './start.ts';

/** An operator: what it watches and how it reconciles. Nothing happens before it is run. */
export interface Operator<Clusters extends string = never> {
  /** What logs, events, the Lease, labels and field managers call it. */
  readonly name: string;
  /** The kinds that are its own: those that it reconciles in its own cluster, and that were made by `resource`. */
  readonly resources: readonly Resource[];
  /** Begins the declaration of a controller: its `reconcile` ends it, and gives the operator back. */
  controller<T extends KubernetesObject>(
    type: ResourceType<T>,
    settings?: ControllerSettings<T, Clusters>,
  ): ControllerBuilder<T, never, Clusters>;
  /** Another cluster that its controllers may watch and write to; declare it before them. */
  cluster<Name extends string>(name: Name, access: ClusterAccess): Operator<Clusters | Name>;
  /**
   * Runs it as what this process is for: until SIGTERM, SIGINT or the signal. When it can't start, or has lost the lead,
   * it says why on standard error and ends the process with exit code 1.
   */
  run(options?: RunOptions): Promise<void>;
  /** Starts it as one thing of many in this process, for example in a test; resolves when its caches are complete. */
  start(options?: StartOptions): Promise<RunningOperator>;
  /**
   * Reconciles every object once against the live cluster, with every write sent as one that is only checked, and tells
   * what would be written. Fails where the cluster doesn't know a kind; what one object fails with is in the report.
   */
  dryRun(options?: DryRunOptions): Promise<DryRunReport>;
  /** The rules that its roles need in its own cluster, or in another one; follows from the declaration alone. */
  permissions(cluster?: Clusters): Promise<Permissions>;
}

/**
 * Declares a controller; `reconcile` comes last and leads back to the operator. Where there is nothing to reconcile it can be left
 * out: after a schedule or a webhook the operator is at hand too. A kind that has only webhooks is not watched.
 */
export interface ControllerBuilder<
  T extends KubernetesObject,
  Indexes extends string = never,
  Clusters extends string = never,
> {
  /**
   * Children of this kind are applied in `reconcile`; they are watched, put back, and deleted with their object, or when
   * the set of `applyAll` no longer has them.
   */
  owns<C extends KubernetesObject>(type: ResourceType<C>, settings?: OwnSettings<C, Clusters>): this;
  /**
   * A change of an object of this kind has those reconciled that `map` names: by name where they are in the same
   * namespace, else by reference, or the objects themselves.
   */
  watches<C extends KubernetesObject>(
    type: ResourceType<C>,
    map: ConcernedBy<C, Indexes, Clusters>,
    settings?: WatchSettings<C, Clusters>,
  ): this;
  /** Objects of this kind can be looked up; their changes cause nothing. */
  reads<C extends KubernetesObject>(type: ResourceType<C>, settings?: WatchSettings<C, Clusters>): this;
  /**
   * Says what `client` is used for, so that `permissions` knows: `.uses(Pod, ['delete'])`, and of a subresource
   * `.uses(Pod, ['create'], { subresource: 'eviction' })`.
   */
  uses(type: ResourceType, verbs: readonly Verb[], settings?: { cluster?: Clusters; subresource?: string }): this;
  /** Lets objects of a kind be found by `byIndex` under a value; declare it before what uses it. */
  index<C extends KubernetesObject, Name extends string>(
    type: ResourceType<C>,
    name: Name,
    value: (object: C) => string | readonly string[] | undefined,
  ): ControllerBuilder<T, Indexes | Name, Clusters>;
  /**
   * What must be done before an object may go, beyond the deletion of its children. It is called until it succeeds; the
   * object is held by a finalizer meanwhile. May be called again after it has succeeded.
   */
  cleanup(cleanup: CleanupFunction<T, Indexes, Clusters>): this;
  /** Runs something for each object when it appears, and every so long after that, for as long as it lives. */
  every(
    interval: Duration | ((object: T) => Duration | undefined),
    run: ScheduledFunction<T, Indexes, Clusters>,
    settings?: EverySettings<T>,
  ): this & Operator<Clusters>;
  /** Runs something for each object at the times of a cron expression, in UTC unless the settings say otherwise. */
  cron(
    expression: string | ((object: T) => string | undefined),
    run: ScheduledFunction<T, Indexes, Clusters>,
    settings?: CronSettings<T>,
  ): this & Operator<Clusters>;
  /** Runs something for each object for as long as the object lives; its signal says when to end. */
  daemon(run: ScheduledFunction<T, Indexes, Clusters>, settings?: DaemonSettings<T>): this & Operator<Clusters>;
  /**
   * Runs something beside the controller for as long as it may act, which can have objects reconciled for reasons that no
   * cache knows: what was heard from outside, for example.
   */
  beside(companion: Companion): this;
  /** Asked before an object is created or changed; see `deny` and `forbid`. For what CEL rules can't say. */
  validate(handler: ValidateFunction<T>, options?: AdmissionOptions): this & Operator<Clusters>;
  /** Completes an object before it is checked and stored. For what defaults in the schema can't say. */
  mutate(handler: MutateFunction<T>, options?: MutateOptions): this & Operator<Clusters>;
  /** Makes the world as an object wants it: called with the object as it is now, whenever something has changed. */
  reconcile(reconcile: ReconcileFunction<T, Indexes, Clusters>): Operator<Clusters>;
}
